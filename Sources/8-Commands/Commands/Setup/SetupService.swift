import CommandLine
import Configuration
import Host
import Model
import Platform

/// Offers to run the agent as a service of the session, and to open the pages.
@LoopActor
struct SetupService {
    let context: CommandContext
    let ask: Questions

    private var manager: SessionManager { SessionManager(context: context) }

    /// Offers the service only if systemd has it and `isUsual` is true, which means that the service reads this configuration.
    /// Otherwise, prints how to start an agent.
    func offer(isUsual: Bool) async throws {
        guard isUsual, await manager.run("cat", SessionManager.unit) == nil else { return tellHowToBegin() }
        guard try await ask.isYes("Keep everything ready in the background, whenever you are logged in?", usual: true) else {
            return tellHowToBegin()
        }
        for words in [["enable"], ["start", "--no-block"]] {
            if let trouble = await manager.run(words + [SessionManager.unit]) {
                context.output.warning("the service could not be started: \(trouble)")
                return tellHowToBegin()
            }
        }
        context.output.message("It is started, and 'systemctl --user status woodshed' tells how it is.")
        guard Desktop(context).opensPages, try await ask.isYes("Open the pages in the browser now?", usual: true) else {
            return context.output.message("'\(Self.typed("open", context.environment))' shows the pages.")
        }
        guard case .run(let invocation) = Woodshed.prepare(["open"], environment: context.environment, output: context.output) else {
            return
        }
        // The service has just been started, so wait up to 10 s for its agent.
        let configuration = try context.configuration(invocation)
        let paths = configuration.paths
        for _ in 0..<50 where ControlClient.find(paths, clock: context.clock) == nil {
            try? await context.clock.sleep(for: .milliseconds(200))
        }
        _ = try await OpenCommand(invocation: invocation, context: context, configuration: configuration).run()
    }

    func tellHowToBegin() {
        context.output.message(
            "'\(Self.typed("agent", context.environment))' now keeps everything ready for as long as it runs, and "
                + "'\(Self.typed("open", context.environment))' shows the pages.")
    }

    /// A command of ours as the user has to type it: with the program's full path if the shell does not find the program yet.
    static func typed(_ words: String, _ environment: Environment) -> String {
        let command = woodshed(words)
        guard environment.program("woodshed") == nil else { return command }
        return Options.programs.program.shellQuoted + command.dropFirst("woodshed".count)
    }
}

/// The service manager of the user's session.
@LoopActor
struct SessionManager {
    let context: CommandContext

    /// The service that runs the agent.
    static let unit = "woodshed.service"

    /// Runs systemctl without showing its output. On failure, returns the reason.
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
