import Agent
import Model
import Platform
import Viewer

extension AgentAssembly {
    /// Lets browsers in that 'woodshed open' sends. Without it, the agent works all the same.
    func beginViewer(_ options: Options.Viewing) {
        control.answer("POST", "/v1/open") { [weak self] request in
            guard let self else { throw ControlRefusal(503, "the agent is ending") }
            return try invitation(request)
        }
        guard options.isEnabled else {
            viewerTrouble = "the agent shows no pages: viewer.enabled is false in its configuration"
            return
        }
        let viewer = Viewer(
            source: AgentViewing(agent: agent, library: library, clock: clock), images: CachedImages(memory: agent.memory, cache: cache),
            settings: ViewerSettings(port: UInt16(clamping: options.port), sessionsFolder: runtime, nameFolder: data), clock: clock,
            log: log)
        do {
            try viewer.start()
            self.viewer = viewer
        } catch {
            viewerTrouble = "\(error)"
            log.warning("\(error); viewer.port in the configuration names another port")
        }
    }

    /// A fresh address for a browser, to the plan or chart that is named.
    private func invitation(_ request: ControlRequest) throws -> ControlReply {
        let plan = request.parameter("plan").map { PlanID($0) }
        let place: ViewerPlace =
            if let chart = request.parameter("chart") {
                .chart(AttachmentID(chart), plan: plan, item: request.parameter("item").map { ItemID($0) })
            } else {
                plan.map { .plan($0) } ?? .plans
            }
        guard let address = viewer?.invite(to: place) else {
            throw ControlRefusal(409, viewerTrouble ?? "the agent shows no pages")
        }
        return ControlReply(json: Array(#"{"address":"\#(address)"}"#.utf8))
    }
}
