import Agent
import CommandLine
package import Configuration
import Keeping
import Model
package import Platform
package import Viewer

/// What browsers are shown. It outlives the agents of a process: while one begins anew with another configuration, the port
/// stays held, or another user of this machine could listen there and be sent the cookies of the pages that are open.
@LoopActor
package final class ViewerKeeper {
    private var viewer: Viewer?
    private var settings = ViewerSettings(nameFolder: nil)
    private var isWanted = false
    /// Why nothing is shown.
    private var trouble: String?

    package init() {}

    /// What the musician should know: they want to see pages and cannot.
    package var complaints: [String] { isWanted && viewer == nil ? [trouble].compactMap(\.self) : [] }

    /// Lets browsers in that 'woodshed open' sends, and those of a network that know its token, and shows them this agent's
    /// pages. Without it, the agent works all the same.
    package func show(_ assembly: AgentAssembly, _ options: Options.Viewing, in network: ViewerSettings.Network?) {
        assembly.control.answer("POST", "/v1/open") { [weak self, weak assembly] request in
            guard let self, let assembly else { throw ControlRefusal(503, "the agent is shutting down") }
            // Whoever had the port may have left it.
            if isWanted, viewer == nil { begin(assembly) }
            return try invitation(request)
        }
        settings = ViewerSettings(port: UInt16(clamping: options.port), nameFolder: assembly.data, network: network)
        if viewer?.settings != settings || !options.isEnabled { stop() }
        isWanted = options.isEnabled
        guard isWanted else {
            trouble = "the agent's viewer is off: viewer.enabled is false in its configuration"
            return
        }
        begin(assembly)
    }

    private func begin(_ assembly: AgentAssembly) {
        let viewer = viewer ?? Viewer(settings: settings, clock: assembly.clock, log: assembly.log)
        do {
            try viewer.start()
            self.viewer = viewer
            trouble = nil
        } catch {
            let sentence = "\(error); set another viewer.port in the configuration"
            if trouble != sentence { assembly.log.warning(sentence) }
            trouble = sentence
            return
        }
        viewer.show(
            AgentViewing(agent: assembly.agent, library: assembly.library, clock: assembly.clock),
            images: CachedImages(
                memory: assembly.agent.memory, cache: assembly.cache, shown: assembly.agent.keeper.shown))
    }

    /// Lets go of the agent that it shows, which is ending; another comes.
    package func rest() { viewer?.rest() }

    /// Shows nothing any more.
    package func stop() {
        viewer?.stop()
        viewer = nil
    }

    /// A fresh address for a browser, to the coming plans; `nil` where nothing is shown.
    package func invite() -> String? { viewer?.invite() }

    /// A fresh address for a browser, to the plan or chart that is named.
    private func invitation(_ request: ControlRequest) throws -> ControlReply {
        let plan = request.parameter("plan").map { PlanID($0) }
        let place: ViewerPlace =
            if let chart = request.parameter("chart") {
                .chart(AttachmentID(chart), plan: plan, item: request.parameter("item").map { ItemID($0) })
            } else {
                plan.map { .plan($0) } ?? .plans
            }
        guard let viewer, let invitation = viewer.invitation(to: place) else {
            throw ControlRefusal(409, trouble ?? "the agent's viewer is off")
        }
        var answer: [(name: String, value: JSONText)] = [("address", .text(invitation.address))]
        // Whoever asks wants a browser sent there, too.
        if let folder = request.parameter("folder") {
            do throws(SystemError) {
                let page = try HandoverPage(to: invitation.address, in: folder)
                invitation.whenOver { page.remove() }
                answer.append(("page", .text(page.path)))
            } catch {
                answer.append(("trouble", .text("\(error)")))
            }
        }
        return ControlReply(json: Array(JSONText.object(answer).line.utf8))
    }
}
