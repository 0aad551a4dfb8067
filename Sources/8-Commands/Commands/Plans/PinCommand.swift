import CommandLine
import Configuration
import Host
import Library
import Model
import Platform

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
