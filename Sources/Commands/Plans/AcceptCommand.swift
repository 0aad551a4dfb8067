import Agent
import Library
import Model
import Platform

extension Command {
    /// `woodshed accept`
    static let accept: Command = Command(
        name: "accept",
        summary: "Takes over a plan that was held back because it lost most of its charts at once",
        details: """
            A plan that shrinks by more than half is kept as it was until an hour confirms it, since that is more often a \
            mishap than a wish. 'woodshed plans' says which plans are held back. Not while an agent is running.
            """,
        parameters: [Parameter("plan", "its id; 'woodshed plans' prints it")],
        examples: [Example("woodshed accept 67810002", "Believe the service about this plan.")],
        takesSettings: true,
        run: { invocation, context throws(CommandFailure) in try await AcceptCommand.run(invocation, context) })
}

/// What `woodshed accept` does.
enum AcceptCommand {
    @LoopActor
    static func run(_ invocation: Invocation, _ context: CommandContext) async throws(CommandFailure) -> ExitCode {
        let configuration = try context.configuration(invocation)
        let id = PlanID(invocation.argument("plan") ?? "")
        let (name, isAccepted) = try accept(id, in: configuration.paths.data, at: Timestamp(sinceEpoch: context.clock.wallTime))
        guard isAccepted else {
            throw CommandFailure(
                .failed,
                name.map { "nothing is held back of \($0) (\(id))" } ?? "there is no plan '\(id)' here; 'woodshed plans --all' lists them")
        }
        context.output.result("\(name ?? id.text): taken over as the service has it".printable)
        return .fine
    }

    @LoopActor
    private static func accept(_ id: PlanID, in data: String, at now: Timestamp) throws(CommandFailure) -> (String?, Bool) {
        do {
            // Without a library there is nothing to accept, and none is made for it.
            try Library(readingFrom: data).close()
            // Only one process writes the library.
            let lock = try AgentLock.take(in: data)
            defer { withExtendedLifetime(lock) {} }
            let library = try Library(folder: data)
            defer { library.close() }
            let name = try library.plans().first { $0.plan.id == id }?.plan.displayName
            return (name, try library.accept(plan: id, at: now))
        } catch {
            throw CommandFailure(of: error)
        }
    }
}
