package import CommandLine
import Glibc
package import Platform

/// What lets this device into its band's place on a server.
package struct BandKey: Sendable {
    private let configuration: Configuration
    /// Where it is sent to; `nil` for a key that requests are only signed with.
    private let host: String?

    /// Where logging in with a browser leaves it, for this server and no other.
    package static func givenFile(_ paths: Paths, for host: String) -> String {
        paths.data + "/band-key-" + host.map { $0.isLetter || $0.isNumber || $0 == "." ? $0 : "-" }.map(String.init).joined()
    }

    package init(_ configuration: Configuration, host: String?) { (self.configuration, self.host) = (configuration, host) }

    /// It may have come since it was asked for last.
    private var source: SecretSource? {
        let band = configuration.options.band
        if let path = band.keyFile { return .file(path) }
        if let command = band.keyCommand { return .command(command) }
        guard let given = host.map({ Self.givenFile(configuration.paths, for: $0) }), access(given, F_OK) == 0 else { return nil }
        return .file(given)
    }

    /// The key, and what S3 wants in addition for one that holds for some hours; `nil` if nobody named any.
    @LoopActor
    package func read(
        environment: Environment, clock: any TimeKeeper
    ) async throws(SecretError) -> (secret: Secret, session: Secret?)? {
        if let source { return (try await source.read(for: .band, environment: environment, clock: clock), nil) }
        guard host == nil, let id = environment["AWS_ACCESS_KEY_ID"], let secret = environment["AWS_SECRET_ACCESS_KEY"] else { return nil }
        return (Secret("\(id):\(secret)"), environment["AWS_SESSION_TOKEN"].map { Secret($0) })
    }
}
