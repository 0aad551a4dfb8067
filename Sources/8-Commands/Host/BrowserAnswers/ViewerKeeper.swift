package import Agent
import CommandLine
package import Configuration
import ImageKeeping
import JSON
package import LocalHTTP
import Model
import PageCache
package import Platform
package import Viewer

/// The viewer of this process, which outlives its agents. While an agent restarts with another configuration, the port stays taken.
/// Otherwise another user of this machine could listen there and receive the cookies of open pages.
@LoopActor
package final class ViewerKeeper {
    private var viewer: Viewer?
    private var settings = ViewerSettings(nameFolder: nil)
    private var isWanted = false
    /// Why the viewer is not running, with what to do about it.
    private var trouble: String?
    /// Why the viewer could not start.
    private var obstacle: String?
    /// Which browsers on the network cannot sign in, and why.
    private var closed: (door: ClosedDoor, why: String)?

    /// The ports to choose from if none is configured; nil for an agent's usual ports.
    private let usualPorts: ClosedRange<UInt16>?
    /// Takes over the ports of a former process; nil if ports are not passed from one process to the next.
    private let takePorts: (@LoopActor (AgentAssembly) -> HeldPorts)?
    private var ports: HeldPorts?

    package init(usualPorts: ClosedRange<UInt16>? = nil, takePorts: (@LoopActor (AgentAssembly) -> HeldPorts)? = nil) {
        (self.usualPorts, self.takePorts) = (usualPorts, takePorts)
    }

    /// Adds what the musician should know: the viewer could not start, or browsers on the network cannot sign in; and then `others`.
    package func add(_ others: [String] = [], to report: inout AgentReport) {
        defer { report.complaints += others }
        guard isWanted else { return }
        report.complaints += [viewer == nil ? trouble : closed?.why].compactMap(\.self)
        report.noPages = viewer == nil ? obstacle : nil
    }

    /// Called just before a browser on the network signs in with a token.
    package var beforeSignIn: @LoopActor () -> Void = {}

    /// Shows this agent's pages to browsers opened by 'woodshed open', and to browsers on the network that have the token. If the
    /// viewer cannot start, the agent still works. If the options disable the viewer, stops it.
    package func show(_ assembly: AgentAssembly, _ options: Options.Viewing, in network: ViewerSettings.Network?) {
        assembly.control.answer("POST", "/v1/open") { [weak self, weak assembly] request in
            guard let self, let assembly else { throw ControlRefusal(503, "the agent is shutting down") }
            // Try again, since the program that used the port may have released it.
            if isWanted, viewer == nil { begin(assembly) }
            return try invitation(request)
        }
        assembly.control.answer("GET", "/v1/browsers") { [weak self] _ in
            let browsers = self?.viewer?.browsers ?? []
            return ControlReply(json: Array(JSONText.object([("browsers", .list(browsers.map(\.json)))]).line.utf8))
        }
        assembly.control.answer("POST", "/v1/end") { [weak self] request in
            guard self?.viewer?.end(browser: request.parameter("browser") ?? "") == true else {
                throw ControlRefusal(404, "no browser of this name is signed in; '\(woodshed("open --list"))' lists those that are")
            }
            return ControlReply(json: Array("{}".utf8))
        }
        settings = ViewerSettings(
            port: options.port.map { UInt16(clamping: $0) }, nameFolder: assembly.data, keyFolder: assembly.runtime, network: network)
        if let usualPorts { settings.usualPorts = usualPorts }
        if !options.isEnabled || (viewer?.adopt(guestsOf: settings) != true && viewer?.settings != settings) { stop() }
        isWanted = options.isEnabled
        // Take over the former process's ports only now: the assembly holds the lock of the home, so no other process can do so at
        // the same time.
        if ports == nil { ports = takePorts?(assembly) }
        guard isWanted else {
            ports?.settle()
            trouble = "the pages are switched off: viewer.enabled is false in the agent's configuration"
            return
        }
        begin(assembly)
    }

    private func begin(_ assembly: AgentAssembly) {
        let viewer = viewer ?? Viewer(settings: settings, clock: assembly.clock, log: assembly.log, ports: ports)
        do {
            viewer.close(to: closed?.door ?? .none)
            viewer.beforeSignIn { [weak self] in self?.beforeSignIn() }
            try viewer.start()
            self.viewer = viewer
            (trouble, obstacle) = (nil, nil)
        } catch {
            let sentence = "\(error); set another viewer.port in the configuration"
            if trouble != sentence { assembly.log.warning(sentence) }
            (trouble, obstacle) = (sentence, "\(error)")
            return
        }
        assembly.agent.noteReachable(at: viewer.networkAddresses)
        viewer.show(
            AgentViewing(
                agent: assembly.agent, library: assembly.library, clock: assembly.clock, ownLayers: assembly.ownLayers),
            images: CachedImages(
                memory: assembly.agent.memory, cache: assembly.cache))
    }

    /// Applies and logs changes of the network's tokens. Calls `show` with new settings.
    package func receive(_ news: NetworkTokens.News, _ log: Log, show: (ViewerSettings.Network?) -> Void) {
        func who(_ door: ClosedDoor) -> String { door == .guests ? "no guest on the network" : "nobody on the network" }
        switch news {
        case .other(let network):
            let former = viewer
            show(network)
            let who = viewer === former ? "guests" : "browsers"
            log.info("the token for \(who) on the network is another one by now, so they have to sign in anew")
        case .mended:
            closed = nil
            viewer?.close(to: .none)
            log.info("browsers on the network can sign in again")
        case .closed(let door, let why):
            closed = (door, "\(who(door)) can sign in: \(why)")
            viewer?.close(to: door)
            log.warning(
                "\(who(door)) can sign in until this is put right; who is signed in is signed out if it is not right in a minute:\n\(why)")
        case .over(let door, let why):
            viewer?.endAll(door)
            log.warning("\(door == .guests ? "guests" : "all browsers") on the network were signed out:\n\(why)")
        }
    }

    /// Stops using the current agent, which is ending. Another agent will follow.
    package func rest() { viewer?.rest() }

    /// Stops the viewer.
    package func stop() {
        viewer?.stop()
        viewer = nil
    }

    /// A new address that lets a browser in and shows the coming plans; nil without a viewer.
    package func invite() -> String? { viewer?.invite() }

    /// Answers with a new address that lets a browser in and shows the requested chart or plan, otherwise the coming plans.
    private func invitation(_ request: ControlRequest) throws -> ControlReply {
        let plan = request.parameter("plan").map { PlanID($0) }
        let place: ViewerPlace =
            if let chart = request.parameter("chart") {
                .chart(AttachmentID(chart), plan: plan, item: request.parameter("item").map { ItemID($0) })
            } else {
                plan.map { .plan($0) } ?? .plans
            }
        guard let viewer else { throw ControlRefusal(409, trouble ?? "the agent's viewer is off") }
        let isForTablet = request.parameter("tablet") != nil
        if isForTablet, let closed, closed.door == .all { throw ControlRefusal(409, closed.why) }
        guard let invitation = isForTablet ? viewer.tabletInvitation(to: place) : viewer.invitation(to: place) else {
            let advice = "the pages are for browsers on this computer only; '\(woodshed("help tablet"))' says how to let a tablet in"
            throw ControlRefusal(409, trouble ?? (isForTablet ? advice : "the agent's viewer is off"))
        }
        var answer: [(name: String, value: JSONText)] = [("address", .text(invitation.address))]
        // A caller that passes a folder also needs a page in that folder that redirects a browser to the address.
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

/// The existing images, for the thread that serves browsers: from memory, otherwise from the cache's files.
struct CachedImages: ViewerImages {
    let memory: MemoryTier
    let cache: PageCache

    func image(_ name: ImageName) -> ViewerImageBytes? {
        if let bytes = memory.held(name) { return .bytes(bytes) }
        // Opening an image records its use in the file itself, at most once an hour.
        guard let image = cache.use(name) else { return nil }
        let size = image.length
        return .file(descriptor: image.release(), size: size)
    }
}
