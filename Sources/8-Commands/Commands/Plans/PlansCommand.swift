import CommandLine
import Configuration
import Library
import Model
import Platform
import Reports

extension Command {
    /// `woodshed plans`
    static let plans: Command = Command(
        name: "plans",
        summary: "Lists the upcoming and pinned plans with their charts: what is here, and what is not shown and why",
        details: "Reads only the library, not the network; an agent may be running.",
        flags: [Flag("all", "include plans that are past or too far ahead, and name every file that is not a PDF")],
        json: PlanOverview.form,
        examples: [
            Example("woodshed plans", "Print a table for each upcoming or pinned plan."),
            Example("woodshed plans --all --json", "Print every plan in the library as JSON, with all ids."),
        ],
        settings: Options.flags,
        run: { invocation, context throws(CommandFailure) in try await PlansCommand.run(invocation, context) })
}

/// What `woodshed plans` does.
enum PlansCommand {
    @LoopActor
    static func run(_ invocation: Invocation, _ context: CommandContext) async throws(CommandFailure) -> ExitCode {
        let configuration = try context.configuration(invocation)
        let overview: PlanOverview
        do {
            let library = try Library(readingFrom: configuration.paths.data)
            if let fullDisk = library.fullDisk { context.output.warning(fullDisk.printable) }
            defer { library.close() }
            overview = try PlanOverview(
                library, all: invocation.has("all"), ahead: configuration.options.plans.ahead,
                now: context.clock.timestamp)
        } catch {
            throw CommandFailure(.failed, "\(error)")
        }
        if invocation.has("json") {
            context.output.result(overview, as: PlanOverview.form)
        } else {
            if overview.entries.isEmpty { context.output.message("There are no upcoming or pinned plans.") }
            overview.print(on: context.output)
        }
        return .fine
    }
}
