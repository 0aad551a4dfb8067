import Model
import Platform

/// Checks images that may be damaged: one at a time, and each image only once in a while.
@LoopActor
final class Mending {
    private var underWay: [ImageName: Task<Bool, Never>] = [:]
    /// When each was last checked, as long as that matters.
    private var checked: [ImageName: Moment] = [:]
    private let turns = Turns()

    /// For this long, an image is not checked again.
    static let rest = Duration.seconds(60)

    nonisolated init() {}

    /// Does `work`, which answers whether the image was damaged; callers who ask meanwhile get the same answer. `false` for an image that
    /// was checked a moment ago.
    func check(_ name: ImageName, _ time: any TimeKeeper, _ work: @escaping @LoopActor () async -> Bool) async -> Bool {
        if let task = underWay[name] { return await task.value }
        checked = checked.filter { time.now < $0.value + Self.rest }
        guard checked[name] == nil else { return false }
        let task = spawn { [self] in
            await turns.take {
                let wasDamaged = await work()
                checked[name] = time.now
                underWay[name] = nil
                return wasDamaged
            }
        }
        underWay[name] = task
        return await task.value
    }
}
