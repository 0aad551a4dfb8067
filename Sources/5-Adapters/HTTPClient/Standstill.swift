import Platform

/// Detects that next to nothing has moved for too long, regardless of how much moved before.
@LoopActor
final class Standstill {
    private let time: any TimeKeeper
    private let patience: Duration
    private let moved: @LoopActor () -> Int
    private let alarm: Alarm
    /// When the transfer last moved fast enough, and how much it had moved at the last check.
    private var (lastMove, former): (Moment, Int)

    /// How many checks there are within `patience`.
    private static let looks = 8

    init(_ time: any TimeKeeper, patience: Duration, moved: @escaping @LoopActor () -> Int) {
        (self.time, self.patience, self.moved, alarm) = (time, patience, moved, Alarm(time))
        (lastMove, former) = (time.now, 0)
    }

    /// Calls `action` as soon as almost nothing has moved for as long as `patience`.
    func begin(_ action: @escaping @LoopActor () -> Void) {
        let look = time.now
        alarm.set(at: min(look + patience / Self.looks, lastMove + patience)) { [self] in
            let (now, amount) = (time.now, moved())
            if amount > former, Double(amount - former) >= Double(HTTPRequest.crawl) * (now - look).inSeconds { lastMove = now }
            former = amount
            guard now - lastMove >= patience else { return begin(action) }
            action()
        }
    }

    func end() { alarm.cancel() }
}
