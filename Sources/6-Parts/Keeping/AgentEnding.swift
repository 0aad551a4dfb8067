package import Platform

/// Whether an agent has begun to stop. From then on nothing new begins.
@LoopActor
package final class AgentEnding {
    package private(set) var hasBegun = false

    package nonisolated init() {}

    package func begin() { hasBegun = true }
}
