import Freshness
import Model
import Platform

/// Work on a page that has begun.
@LoopActor
final class RunningWork {
    let work: PageWork
    var task: Task<Void, Never>?
    private(set) var isBrokenOff = false
    /// Whether it is due again when it has ended.
    var comesBack = false

    init(_ work: PageWork) {
        self.work = work
    }

    func makes(_ image: ImageName) -> Bool { work.images.contains { $0.name == image } }

    /// Cancels it, once.
    func breakOff(comesBack: Bool) {
        guard !isBrokenOff else { return }
        isBrokenOff = true
        self.comesBack = comesBack
        task?.cancel()
    }
}
