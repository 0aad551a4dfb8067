/// Work that gives way: no work starts during a hold, and work that was interrupted for something more urgent starts again automatically.
@LoopActor
package final class YieldingWork {
    /// The reason for a hold.
    package enum Hold: Hashable {
        /// The musician wants the machine for something else.
        case pause
        /// Somebody is waiting for a page.
        case selection
    }

    private let gate = Gate()
    private var holds: Set<Hold> = []
    /// How to cancel each running piece of work.
    private var running: [UInt64: @Sendable () -> Void] = [:]
    private var lastNumber: UInt64 = 0
    private var isEnded = false

    package nonisolated init() {}

    /// Runs `body` once there is no hold, and runs it again if `breakOff` cancelled it and it therefore failed. If the calling task is
    /// cancelled, `body` decides the result.
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

    /// Cancels the running work, which starts again once there is no hold.
    package func breakOff() {
        let cancellations = running.sorted { $0.key < $1.key }
        running = [:]
        for (_, cancel) in cancellations { cancel() }
    }

    /// Ends all holds for good, because the agent is stopping: all waiting work starts, and must find out by itself that the agent is
    /// stopping.
    package func end() {
        isEnded = true
        holds = []
        gate.open()
    }
}
