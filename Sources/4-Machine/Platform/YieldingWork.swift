/// Work that gives way: while it is on hold none is started, and what was interrupted for something more urgent starts again
/// automatically.
@LoopActor
package final class YieldingWork {
    /// Why no work is started.
    package enum Hold: Hashable {
        /// The musician wants the machine for something else.
        case pause
        /// Somebody is waiting for a page.
        case selection
    }

    private let gate = Gate()
    private var holds: Set<Hold> = []
    /// How to cancel the work that is running.
    private var running: [UInt64: @Sendable () -> Void] = [:]
    private var lastNumber: UInt64 = 0
    private var isEnded = false

    package nonisolated init() {}

    /// Does `body`, starting again as often as it is interrupted. If the calling task is cancelled, it gets what `body` makes of that.
    package func run<Result: Sendable>(_ body: @escaping @Sendable @LoopActor () async throws -> Result) async throws -> Result {
        while true {
            await gate.pass()
            lastNumber += 1
            let number = lastNumber
            let task = spawnThrowing(body)
            running[number] = { task.cancel() }
            let result = await withTaskCancellationHandler {
                await task.result
            } onCancel: {
                task.cancel()
            }
            let wasBrokenOff = running.removeValue(forKey: number) == nil
            if wasBrokenOff, case .failure = result, !isEnded, !Task.isCancelled { continue }
            return try result.get()
        }
    }

    package func hold(_ reason: Hold) {
        guard !isEnded else { return }
        holds.insert(reason)
        gate.close()
    }

    package func release(_ reason: Hold) {
        holds.remove(reason)
        if holds.isEmpty { gate.open() }
    }

    /// Cancels the work that is running; it starts again once nothing holds it.
    package func breakOff() {
        let cancellations = running.sorted { $0.key < $1.key }
        running = [:]
        for (_, cancel) in cancellations { cancel() }
    }

    /// Lets through everything that waits, so that it finds out by itself that the end has come.
    package func end() {
        isEnded = true
        holds = []
        gate.open()
    }
}
