import CommandLine
import Platform

/// A shell command that is run once, for the first line that it prints.
///
/// It gets no input, and what it prints on standard error is shown as it comes.
@LoopActor
struct SecretCommand {
    private let command: String
    private let environment: Environment
    private let clock: any TimeKeeper

    init(_ command: String, environment: Environment, clock: any TimeKeeper) {
        self.command = command
        self.environment = environment
        self.clock = clock
    }

    /// Its first line without the line break; if it has not ended after `limit`, it is killed.
    func firstLine(within limit: Duration) async throws(SecretError) -> [UInt8] {
        let output: Child.Output
        do {
            output = try await Child.output(
                of: "/bin/sh", arguments: ["-c", command], environment: environment.entries, within: limit, most: SecretSource.greatestSize,
                clock: clock)
        } catch {
            throw SecretError("no token: account.token_command: \(error)")
        }
        guard let exit = output.exit else {
            throw SecretError("no token: account.token_command did not end within \(DurationText.text(of: limit))")
        }
        guard exit == .code(0) else { throw SecretError("no token: account.token_command \(exit)") }
        return Array(output.bytes.prefix { $0 != UInt8(ascii: "\n") })
    }
}
