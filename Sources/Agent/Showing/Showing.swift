import Freshness
import Model
import Platform

/// What is being shown, and who waits for it.
@LoopActor
final class Showing {
    /// The selection that is to be answered; of several it is the newest.
    var selection: Selection?
    /// Selections whose work has not ended, also such as are superseded.
    var unended: [Selection] = []
    /// The images that the memory tier is to hold, most important first.
    var names: [ImageName] = []
    /// What is drawn for others than a selection while somebody waits; it gives way to a selection.
    let others = YieldingWork()
    /// The newest larger image that each viewer has asked for.
    var live: [String: LiveImage] = [:]
    var liveCount = 0
    var plan: PlanID?

    nonisolated init() {}

    var isIdle: Bool { unended.isEmpty }
}
