import Platform

/// Whether an agent's end has begun. What comes later begins nothing.
@LoopActor
final class Ending {
    private(set) var hasBegun = false

    nonisolated init() {}

    func begin() { hasBegun = true }
}
