import CommandLine
import LocalHTTP
import Platform
package import Viewer

extension Configuration {
    /// On the network, pages are shown only to those who know a token, and only under names that were configured.
    static func viewerFaults(_ options: Options, _ origins: [String: Origin]) -> [ConfigurationFault] {
        let viewer = options.viewer
        var faults: [ConfigurationFault] = []
        func refuse(_ key: String, _ message: String) {
            faults.append(ConfigurationFault(origin: origins[key] ?? .standard, message: "\(key): \(message)"))
        }
        for name in viewer.names where !isHost(name) {
            refuse("viewer.names", "'\(name.printable)' is neither a host name nor an address; write only the NAME of http://NAME:8737/")
        }
        if let file = viewer.tokenFile, file == options.account.tokenFile {
            refuse("viewer.token_file", "this is the account's token; write another one for browsers to another file")
        }
        guard let address = IPAddress(viewer.listen) else {
            refuse("viewer.listen", "'\(viewer.listen.printable)' is not an IP address; write one of this machine, or 0.0.0.0 for all")
            return faults
        }
        guard address != .loopback else { return faults }
        if address.isLoopback {
            refuse("viewer.listen", "\(address) reaches this machine only, as 127.0.0.1 does; write that")
        } else if viewer.tokenFile == nil {
            refuse(
                "viewer.listen",
                "beyond 127.0.0.1 a token is required; write one to a file, run chmod 600 on it, and name it as viewer.token_file")
        } else if address.isAny, viewer.names.isEmpty {
            refuse("viewer.listen", "with \(address), viewer.names must list the names or addresses that browsers use for this machine")
        }
        return faults
    }

    private static func isHost(_ name: String) -> Bool {
        IPAddress(name) != nil
            || name.utf8.allSatisfy { byte in
                switch Character(UnicodeScalar(byte)) {
                case "a"..."z", "A"..."Z", "0"..."9", ".", "-": true
                default: false
                }
            }
    }

    /// Where on the network the pages are to be shown, with the token from its file; `nil` for this machine only.
    package func viewerNetwork() throws(ConfigurationError) -> ViewerSettings.Network? {
        guard let address = IPAddress(options.viewer.listen), address != .loopback, let path = options.viewer.tokenFile else { return nil }
        do {
            let token = try SecretSource.line(try SecretSource.privateBytes(path), from: path, form: "a token")
            guard token.utf8.count >= Self.shortestViewerToken else {
                throw SecretError("the token in \(path) is too short; \(Self.shortestViewerToken) characters is the minimum")
            }
            if let account = options.account.tokenFile, let other = try? SecretSource.privateBytes(account),
                (try? SecretSource.line(other, from: account, form: "a token")) == token
            {
                throw SecretError("\(path) holds the account's token; write another one for browsers to it")
            }
            return ViewerSettings.Network(address: address, names: options.viewer.names, token: Secret(token))
        } catch {
            let origin = Options.setting("viewer.token_file").map { self.origin(of: $0) } ?? .standard
            throw ConfigurationError(faults: [ConfigurationFault(origin: origin, message: "viewer.token_file: \(error)")])
        }
    }

    /// Too many to guess at a few tries a minute.
    private static let shortestViewerToken = 16
}
