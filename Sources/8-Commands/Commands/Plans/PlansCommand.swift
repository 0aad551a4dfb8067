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
        details: "Reads only the library, not the network; an agent may be running.",
        flags: [Flag("all", "include plans that are past or too far ahead, and name every file that is not a PDF")],
        json: PlanOverview.form,
        examples: [
            Example("woodshed plans", "Print a table for each upcoming or pinned plan."),
            Example("woodshed plans --all --json", "Print every plan in the library as JSON, with all ids."),
        ],
        settings: Options.flags,
        run: PlansCommand.run)
}

enum PlansCommand {
    @LoopActor
    static func run(_ invocation: Invocation, _ context: CommandContext) async throws -> ExitCode {
        let configuration = try context.configuration(invocation)
        let library = try OpenHome.library(configuration)
        if let fullDisk = library.fullDisk { context.output.warning(fullDisk.printable) }
        defer { library.close() }
        let overview = try PlanOverview(
            library, all: invocation.has("all"), ahead: configuration.options.plans.ahead, now: context.clock.timestamp)
        context.tell(overview, as: PlanOverview.form, to: invocation) {
            if overview.entries.isEmpty { context.output.message("There are no upcoming or pinned plans.") }
            overview.print(on: context.output)
        }
        return .fine
    }
}

extension Command {
    static let pin = Command(
        name: "pin",
        summary: "Keeps a plan with its charts and page images, whatever its date and however full the cache",
        details: """
            A pinned plan is kept even when it is past, and its page images are never trimmed; 'woodshed plans' shows it as \
            pinned. It stays pinned until 'woodshed unpin'. An agent may be running.
            """,
        parameters: [.plan],
        json: PinCommand.form,
        examples: [
            Example("woodshed pin next", "Keep the next plan for good."),
            Example("woodshed pin midweek", "Keep the plan with this word in its title."),
        ],
        settings: Options.flags,
        run: { try await PinCommand($0, $1).pin() })

    static let unpin = Command(
        name: "unpin",
        summary: "Restores normal cleanup of a pinned plan",
        details: "From then on it is kept and trimmed like any other plan. An agent may be running.",
        parameters: [.plan],
        json: PinCommand.form,
        examples: [Example("woodshed unpin 67810002", "Unpin the plan with this id.")],
        settings: Options.flags,
        run: { try await PinCommand($0, $1).unpin() })
}

extension Parameter {
    fileprivate static let plan = Parameter("plan", "its id, its local date as in 2026-11-22, part of its title, or 'next'")
        .offering(.plans(["next"]))
}

/// It takes no lock: a pin is one small change, made beside a running agent.
@LoopActor
struct PinCommand {
    private let invocation: Invocation
    private let context: CommandContext
    private let name: String
    private let paths: Paths

    struct Pinned {
        let plan: Plan
        let isPinned: Bool
        let isNews: Bool
    }

    nonisolated static let form = JSONForm<Pinned>([
        .init("plan", "the plan's id", \.plan.id.text), .init("title", "its title", \.plan.displayName),
        .init("pinned", "whether it is pinned now", \.isPinned), .init("changed", "whether it was not so before", \.isNews),
    ])

    init(_ invocation: Invocation, _ context: CommandContext) throws {
        (self.invocation, self.context) = (invocation, context)
        name = invocation.argument("plan") ?? ""
        paths = try context.configuration(invocation).paths
    }

    func pin() async throws -> ExitCode {
        let plan = try find(pinned: false)
        let isNews = try Library.change(in: paths.data) { library throws(LibraryError) in try library.plans.pin(plan.id) }
        return await tell(Pinned(plan: plan, isPinned: true, isNews: isNews), isNews ? "pinned" : "was already pinned")
    }

    func unpin() async throws -> ExitCode {
        let plan = try find(pinned: true)
        let isNews = try Library.change(in: paths.data) { library throws(LibraryError) in try library.plans.unpin(plan.id) }
        return await tell(Pinned(plan: plan, isPinned: false, isNews: isNews), isNews ? "no longer pinned" : "was not pinned")
    }

    private func tell(_ pinned: Pinned, _ what: String) async -> ExitCode {
        context.tell(pinned, as: Self.form, to: invocation) {
            context.output.result("\(PlanFinder.words(pinned.plan)) (plan \(pinned.plan.id)): \(what)".printable)
        }
        if pinned.isNews { await ControlClient.tellChange(paths, context) }
        return .fine
    }

    /// The plan that is meant; if several fit, the one that is pinned, or not pinned, as asked for.
    private func find(pinned: Bool) throws -> Plan {
        let library = try Library(readingFrom: paths.data)
        defer { library.close() }
        let pins = try library.plans.pinned()
        return try PlanFinder(library, now: context.clock.timestamp).findHere(name) {
            pins.contains($0.id) == pinned
        }
    }
}
