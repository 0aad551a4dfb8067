/// The state of an agent that may be stopping: once that has begun, nothing new begins.
@LoopActor
package final class AgentEnding {
    package private(set) var hasBegun = false

    package nonisolated init() {}

    package func begin() { hasBegun = true }
}
