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
    /// The larger images that viewers have asked for, oldest first.
    private var live: [LiveImage] = []
    private var liveCount = 0
    var plan: PlanID?

    nonisolated init() {}

    /// Has a viewer wait for another larger image. It takes the place of the same page in another size or look; and since
    /// nobody sees more than two pages at a time, of all before the latest other.
    func begin(_ page: PageRequest, longSide: Int, for viewer: String, cancel: @escaping @Sendable () -> Void) -> Int {
        liveCount += 1
        live.append(LiveImage(number: liveCount, viewer: viewer, page: page, longSide: longSide, cancel: cancel))
        let others = live.dropLast().filter { $0.viewer == viewer }
        let resized = others.filter {
            $0.page.chart == page.chart && $0.page.page == page.page && ($0.page != page || $0.longSide != longSide)
        }
        let still = others.filter { other in !resized.contains { $0.number == other.number } }
        for former in resized + still.dropLast(Self.mostLive - 1) {
            end(former.number)
            former.cancel()
        }
        return liveCount
    }

    func end(_ number: Int) { live.removeAll { $0.number == number } }

    /// Larger images of one viewer at a time: two pages side by side.
    private static let mostLive = 2

    var isIdle: Bool { unended.isEmpty }
}
