import Glibc
import Glibc
import Platform
import Synchronization
import TestSupport
import Testing

/// Work on a thread beside the loop.
@Suite(.onLoop)
struct SideThreadTests {
    private struct Refusal: Error, Hashable {}

    @Test @LoopActor func workIsDoneOffTheLoopAndItsResultComesBackToIt() async {
        let wasOnLoop = await SideThread().run { Loop.shared.isCurrent }
        #expect(!wasOnLoop)
        #expect(Loop.shared.isCurrent)
    }

    @Test @LoopActor func inlineWorkIsDoneAtOnce() async {
        let wasOnLoop = await SideThread(inline: true).run { Loop.shared.isCurrent }
        #expect(wasOnLoop)
    }

    @Test @LoopActor func piecesComeInOrderOneAtATime() async {
        let side = SideThread()
        let seen = Mutex<[Int]>([])
        let tasks = (0..<200).map { number in
            spawn { await side.run { seen.withLock { $0.append(number) } } }
        }
        for task in tasks { await task.value }
        #expect(seen.withLock { $0 } == Array(0..<200))
    }

    @Test @LoopActor func failuresAreThrownToTheCaller() async {
        await #expect(throws: Refusal()) {
            try await SideThread().run { () throws(Refusal) -> Int in throw Refusal() }
        }
    }

    /// A closed `Server` stands for a server that does not respond.
    @Test @LoopActor func whatDoesNotAnswerKeepsNobodyWaiting() async throws {
        let side = SideThread()
        let answers = Mutex(0)
        let late = Mutex<[Int]>([])
        let answer = Server()
        answer.close()
        let first = await side.run(within: .milliseconds(20), SystemClock()) {
            answer.wait()
            late.withLock { $0.append(1) }
            return 1
        }
        #expect(first == nil)
        // While the first piece hangs, later callers get `nil` without waiting, and their pieces are never done.
        let before = SystemClock().now
        let second = await side.run(within: .seconds(20), SystemClock()) {
            late.withLock { $0.append(2) }
            return 2
        }
        #expect(second == nil && SystemClock().now - before < .seconds(5))
        answer.open()
        try await waitUntil { await side.run(within: .seconds(20), SystemClock()) { answers.withLock { $0 += 1 } } != nil }
        #expect(late.withLock { $0 } == [1] && answers.withLock { $0 } == 1)
    }

    @Test @LoopActor func whatWaitsBehindSomethingThatDoesNotAnswerIsNotDoneLater() async throws {
        let side = SideThread()
        let late = Mutex<[Int]>([])
        let answer = Server()
        answer.close()
        let waiting = (0..<3).map { number in
            spawn {
                await side.run(within: .milliseconds(20), SystemClock()) {
                    answer.wait()
                    late.withLock { $0.append(number) }
                }
            }
        }
        for task in waiting { #expect(await task.value == nil) }
        answer.open()
        try await waitUntil { await side.run(within: .seconds(20), SystemClock()) {} != nil }
        #expect(late.withLock { $0 } == [0])
    }
}

/// A simulated server. While the server is closed, `wait` blocks its callers.
private final class Server: Sendable {
    private let isOpen = Mutex(false)
    func close() { isOpen.withLock { $0 = false } }
    func open() { isOpen.withLock { $0 = true } }
    func wait() { while !isOpen.withLock({ $0 }) { usleep(1000) } }
}
