import CommandLine
import Configuration
import Host
import Library
import Model
import Platform

extension Command {
    static let plans = Command(
        name: "plans",
        summary: "Lists the upcoming and pinned plans with their charts: what is here, and what is not shown and why",
        details: "Reads only the library and your folders of sets, not the network; an agent may be running.",
        flags: [Flag("all", "include plans that are past or too far ahead, and name every file that is not a PDF")],
        json: PlanOverview.form,
        examples: [
            Example("woodshed plans", "Print a table for each upcoming or pinned plan."),
            Example("woodshed plans --all --json", "Print every plan in the library as JSON, with all ids."),
        ],
        settings: Options.flags,
        run: { invocation, context in
            let configuration = try await context.configurationToRead(invocation)
            let library = try OpenHome.library(configuration, reportingTo: context)
            defer { library.close() }
            var overview = try PlanOverview(
                library, all: invocation.has("all"), ahead: configuration.options.plans.ahead, now: context.clock.timestamp,
                from: configuration.hasSetsAlone ? .sets : .service)
            let folders = await configuration.asking(by: context.clock)
            overview.sets = await SetsHere.read(
                folders.options.plans.folders.filter { !folders.silent.contains($0) }, by: context.clock)
            return context.give(overview, to: invocation)
        })
}
