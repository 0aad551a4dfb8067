import Agent
import Catalogue
import CommandLine
import Configuration
import Host
import Model
import Platform

enum AgentAnswer: Equatable, Sendable {
    /// No agent is running.
    case absent
    /// An agent is running but did not report anything. `because` is the reason, if it is known.
    case silent(process: Int32?, because: String?)
    case answered(AgentReport)

    /// Requests a report from the agent of these folders over its control socket. If no agent is found there, the lock on the
    /// library shows whether one is running all the same.
    @LoopActor
    init(of paths: Paths) async {
        guard let client = ControlClient.find(paths) else {
            self = AgentLock.runner(in: paths.data).map { .silent(process: $0, because: ControlClient.lost(paths)?.message) } ?? .absent
            return
        }
        do {
            self = .answered(try AgentReport(json: try await client.ask(.get, "/v1/status", patience: .seconds(5))))
        } catch {
            self = .silent(process: client.process, because: "\(error)")
        }
    }

    var isRunning: Bool { self != .absent }

    var report: AgentReport? { if case .answered(let report) = self { report } else { nil } }

    /// Why charts could not be fetched, according to the agent.
    var refusals: [AttachmentID: String] {
        Dictionary((report?.polls.refusals ?? []).map { ($0.attachment, $0.message) }) { first, _ in first }
    }

    /// A sentence on who will fetch and draw what is missing.
    var prospect: String {
        switch self {
        case .absent: "'\(woodshed("sync"))' fetches and draws what is missing."
        case .silent: "An agent is running but does not say what it is doing; see '\(woodshed("status"))'."
        case .answered(let agent) where agent.pause != nil:
            "The agent is paused; it fetches and draws what is missing after '\(woodshed("resume"))'."
        case .answered:
            "The running agent fetches what is missing with its next sync, and draws it; see '\(woodshed("status"))'."
        }
    }

    /// A sentence on who will draw the image of a page that a plan needs.
    func prospect(of page: AgentReport.Rendering.Page) -> String {
        switch self {
        case .absent: return "No agent is running: '\(woodshed("sync"))' draws it."
        case .silent: return "An agent is running but does not say what it is doing."
        case .answered(let agent):
            if agent.rendering.running.contains(page) { return "The running agent is drawing this page right now." }
            if agent.pause != nil { return "The agent is paused; it draws this page after '\(woodshed("resume"))'." }
            return
                "The running agent draws it in turn; \(agent.rendering.waitingPages.counted("page")) \(agent.rendering.waitingPages == 1 ? "is" : "are") waiting."
        }
    }

    /// Why pages could not be counted so far, according to the agent.
    var uncounted: [ChartHash: String] {
        Dictionary((report?.uncounted ?? [:]).compactMap { hex, reason in Digest(hex: hex).map { (ChartHash($0), reason) } }) { first, _ in
            first
        }
    }
}
