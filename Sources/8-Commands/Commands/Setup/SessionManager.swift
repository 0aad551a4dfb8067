import CommandLine
import Platform

/// What starts and stops the services of somebody's session.
@LoopActor
struct SessionManager {
    let context: CommandContext

    /// The agent as a service.
    static let unit = "woodshed.service"

    /// Has it do something, without its own words; returns why it did not.
    func run(_ words: String...) async -> String? { await run(words) }

    func run(_ words: [String]) async -> String? {
        guard let program = context.environment.program("systemctl") else { return "there is no systemctl" }
        do {
            let answer = try await Child.output(
                of: "/bin/sh", arguments: ["-c", #"exec "$0" --user "$@" 2>/dev/null"#, program] + words,
                environment: context.environment.entries, within: .seconds(20),
                clock: context.clock)
            return answer.exit == .code(0) ? nil : "systemctl \(answer.exit.map { "\($0)" } ?? "did not end")"
        } catch {
            return "\(error)"
        }
    }
}
