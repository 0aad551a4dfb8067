import Agent
import CommandLine
import Configuration
import Host
import Model
import Platform
import Reports

/// What `woodshed cache trim` does. If an agent runs, the agent does the work, since only one process at a time removes images.
@LoopActor
struct CacheTrimCommand {
    private let invocation: Invocation
    private let context: CommandContext

    init(_ invocation: Invocation, _ context: CommandContext) {
        self.invocation = invocation
        self.context = context
    }

    func run() async throws(CommandFailure) -> ExitCode {
        let isDry = invocation.has("dry-run")
        let size: ByteCount? = invocation.value("to")
        let configuration = try context.configuration(invocation)
        if !isDry, let agent = ControlClient.find(configuration.paths, clock: context.clock) {
            let query = (size.map { [("to", "\($0.bytes)")] } ?? []) + (invocation.has("json") ? [("json", "1")] : [])
            return try await agent.command("/v1/trim", query: query).tell(on: context.output)
        }
        if !isDry, let failure = ControlClient.lost(configuration.paths) { throw failure }
        let holdings = try Holdings(configuration, for: isDry ? .reading : .changing, context)
        defer { holdings.close() }
        let renderer = try await holdings.renderer()
        let trim = CacheTrim(keeper: holdings.keeper, to: size, isDry: isDry, asJSON: invocation.has("json"))
        do {
            return try await trim.run(by: renderer, uses: try holdings.uses(by: renderer), context.output)
        } catch {
            throw CommandFailure(of: error)
        }
    }
}
