import Agent
import Model
import Platform

/// What is known of a running agent.
enum AgentAnswer: Equatable, Sendable {
    /// None runs.
    case absent
    /// One runs, and has not told anything; why not, where that is known.
    case silent(process: Int32?, because: String?)
    case told(AgentReport)

    /// Asks the agent of these folders.
    typealias Source = @Sendable @LoopActor (Paths) async -> AgentAnswer

    /// Whether one runs at all, as its lock tells.
    static let byLock: Source = { paths in
        AgentLock.runner(in: paths.data).map { .silent(process: $0, because: nil) } ?? .absent
    }

    var isRunning: Bool { self != .absent }

    var report: AgentReport? { if case .told(let report) = self { report } else { nil } }

    /// Why charts do not come, as the agent knows it.
    var refusals: [AttachmentID: String] {
        Dictionary((report?.polls.refusals ?? []).map { ($0.attachment, $0.message) }) { first, _ in first }
    }
}
