import CShims
import Glibc
import Platform
import TestSupport
import Testing

@Suite(.onLoop)
struct LoopDescriptorTests {
    @Test @LoopActor func readableDescriptorIsReportedUntilCancelled() async throws {
        var pair: [Int32] = [0, 0]
        #expect(woodshed_message_socket_pair(&pair) == 0)
        defer { for end in pair { close(end) } }
        var seen: [UInt8] = []
        var watch: DescriptorWatch?
        var byte: UInt8 = 7
        #expect(write(pair[1], &byte, 1) == 1)
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            do {
                watch = try Loop.shared.watch(pair[0], for: .read) { _ in
                    var byte: UInt8 = 0
                    guard read(pair[0], &byte, 1) == 1 else { return }
                    seen.append(byte)
                    if let watch { Loop.shared.cancel(watch) }
                    continuation.resume()
                }
            } catch {
                continuation.resume(throwing: error)
            }
        }
        #expect(seen == [7])
        // A cancelled watch gets no event: the byte stays unread.
        #expect(write(pair[1], &byte, 1) == 1)
        try await SystemClock().sleep(for: .milliseconds(5))
        #expect(seen == [7])
    }

    @Test @LoopActor func watchingAClosedDescriptorFails() {
        #expect(throws: SystemError.self) { try Loop.shared.watch(9999, for: .read) { _ in } }
    }

    @Test @LoopActor func blockedSignalIsReceived() async throws {
        // Nothing else uses SIGUSR2. A signal sent to the loop's thread stays with this thread, which blocks it.
        Signals.block([SIGUSR2])
        let received = spawnThrowing { try await Signals.next(of: [SIGUSR2]) }
        pthread_kill(pthread_self(), SIGUSR2)
        #expect(try await received.value == SIGUSR2)
    }
}
