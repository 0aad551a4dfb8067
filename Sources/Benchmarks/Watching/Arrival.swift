import Platform

/// Something that is waited for, with the time when it came.
@LoopActor
final class Arrival {
    private let clock: any TimeKeeper
    private var time: Double?
    private var timer: TimerID?
    private var waiter: CheckedContinuation<Double?, Never>?

    private static let longest: Duration = .seconds(30)

    init(_ clock: any TimeKeeper) {
        self.clock = clock
    }

    /// Notes that it came now; only the first time counts.
    func come() {
        guard time == nil else { return }
        time = ProcessFigures.wallMilliseconds
        resume()
    }

    /// The wall time at which it came.
    func wait(for what: String) async throws -> Double {
        if let time { return time }
        timer = clock.schedule(at: clock.now + Self.longest) { [weak self] in self?.resume() }
        guard let time = await withCheckedContinuation({ waiter = $0 }) else { throw BenchmarkFailure("\(what) never came") }
        return time
    }

    private func resume() {
        if let timer { clock.cancel(timer) }
        timer = nil
        waiter?.resume(returning: time)
        waiter = nil
    }
}
