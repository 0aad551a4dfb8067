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
        json: Pinned.form,
        examples: [
            Example("woodshed pin next", "Keep the next plan for good."),
            Example("woodshed pin midweek", "Keep the plan with this word in its title, or in its kind of service."),
        ],
        settings: Options.flags,
        run: { try await PinCommand(invocation: $0, context: $1).setPinned(true) })

    static let unpin = Command(
        name: "unpin",
        summary: "Restores normal cleanup of a pinned plan",
        details: "From then on it is kept and trimmed like any other plan. An agent may be running.",
        parameters: [.plan],
        json: Pinned.form,
        examples: [Example("woodshed unpin 67810002", "Unpin the plan with this id.")],
        settings: Options.flags,
        run: { try await PinCommand(invocation: $0, context: $1).setPinned(false) })
}

extension Parameter {
    static let plan = Parameter("plan", "its id, its date as in 2026-11-22 or '22 Nov', part of its title, or 'next'")
        .offering(.plans(["next"]))
}

/// Takes no lock: a pin is one small change, which is safe while an agent is running.
@LoopActor
struct PinCommand {
    let invocation: Invocation
    let context: CommandContext

    func setPinned(_ isPinned: Bool) async throws -> ExitCode {
        let configuration = try context.configuration(invocation)
        let paths = configuration.paths
        let plan = try find(pinned: isPinned, configuration)
        let isNews = try Library.change(in: paths.data) { library throws(LibraryError) in
            try isPinned ? library.plans.pin(plan.id) : library.plans.unpin(plan.id)
        }
        context.give(Pinned(plan: plan, isPinned: isPinned, isNews: isNews), to: invocation)
        if isNews { await ControlClient.reportChange(paths, context) }
        return .fine
    }

    /// The plan that the argument names. Nothing is guessed where several plans match, except that only a pinned plan can be unpinned.
    /// If the plans that are not pinned yet counted alone, the same words typed again would pin another one.
    private func find(pinned: Bool, _ configuration: Configuration) throws -> Plan {
        let library = try OpenHome.library(configuration)
        defer { library.close() }
        let pins = try library.plans.pinned()
        return try PlanFinder(library, now: context.clock.timestamp).findHere(invocation.argument("plan") ?? "") {
            pinned || pins.contains($0.id)
        }
    }
}

private struct Pinned: Answer {
    let plan: Plan
    let isPinned: Bool
    let isNews: Bool

    static let form = JSONForm<Pinned>([
        .init("plan", "the plan's id", \.plan.id.text), .init("title", "its title", \.plan.displayName),
        .init("pinned", "whether it is pinned now", \.isPinned), .init("changed", "whether it was not so before", \.isNews),
    ])

    func print(on output: Output) {
        let words = isPinned ? (isNews ? "pinned" : "was already pinned") : (isNews ? "no longer pinned" : "was not pinned")
        output.result("\(PlanFinder.words(plan)) (plan \(plan.id)): \(words)".printable)
    }
}
