package import Platform

/// Whether an agent's end has begun. What comes later begins nothing.
@LoopActor
package final class AgentEnding {
    package private(set) var hasBegun = false

    package nonisolated init() {}

    package func begin() { hasBegun = true }
}
