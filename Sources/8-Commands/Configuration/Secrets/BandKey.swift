package import CommandLine
import Glibc
package import Model
package import Platform

/// This device's key for the server on which the band shares its files.
package struct BandKey: Sendable {
    private let configuration: Configuration
    /// The host that receives the key; nil for a key that only signs requests.
    private let host: String?

    /// The file in which a login with a browser stores the key for this server.
    package static func givenFile(_ paths: Paths, for host: String) -> String {
        "\(paths.data)/band-key-\(fileName(for: host))"
    }

    package static func fileName(for host: String) -> String {
        host.map { $0.isLetter || $0.isNumber || $0 == "." ? $0 : "-" }.map(String.init).joined()
    }

    package init(_ configuration: Configuration, host: String?) { (self.configuration, self.host) = (configuration, host) }

    /// Determined on every use, since a login may have just created the file.
    private var source: SecretSource? {
        let band = configuration.options.band
        if let path = band.keyFile { return .file(path) }
        if let command = band.keyCommand { return .command(command) }
        guard let given = host.map({ Self.givenFile(configuration.paths, for: $0) }), access(given, F_OK) == 0 else { return nil }
        return .file(given)
    }

    /// The key, from the configuration or for S3 also from the environment. For a temporary key, also the session token that S3
    /// requires. Nil if there is no key.
    @LoopActor
    package func read(
        environment: Environment, clock: any TimeKeeper
    ) async throws(Trouble) -> (secret: Secret, session: Secret?)? {
        if let source { return (try await source.read(for: .band, environment: environment, clock: clock), nil) }
        guard host == nil, let id = environment["AWS_ACCESS_KEY_ID"], let secret = environment["AWS_SECRET_ACCESS_KEY"] else { return nil }
        return (Secret("\(id):\(secret)"), environment["AWS_SESSION_TOKEN"].map { Secret($0) })
    }
}
