/// Whether the agent has begun to stop: from then on, no new work may begin.
@LoopActor
package final class AgentEnding {
    package private(set) var hasBegun = false

    package nonisolated init() {}

    package func begin() { hasBegun = true }
}
