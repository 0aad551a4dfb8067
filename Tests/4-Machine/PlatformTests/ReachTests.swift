import Glibc
import Synchronization
import TestSupport
import Testing

@testable import Platform

/// Which folders respond. Only folders on a network are probed, and one that hangs does not delay the others.
@Suite(.onLoop)
struct ReachTests {
    @Test @LoopActor func whatIsNotOnANetworkIsNotAsked() async {
        let asked = Mutex<[String]>([])
        let reach = Reach(
            SystemClock(),
            mounts: { Mounts(reading: "36 35 0:42 / /far rw - nfs4 nas:/ rw\n37 35 0:43 / /near/share rw - cifs nas:/ rw\n") },
            ask: { path in asked.withLock { $0.append(path) } })
        #expect(await reach.silent(["/near", "/other", "/far/a"], within: .seconds(20)) == [])
        #expect(asked.withLock { $0.sorted() } == ["/far/a", "/near/share"])
    }

    @Test @LoopActor func whatDoesNotAnswerIsNamedUntilItDoes() async throws {
        let isHeld = Mutex(true)
        let reach = Reach(
            SystemClock(), mounts: { Mounts(reading: "36 35 0:42 / /far rw - nfs4 nas:/ rw\n") },
            ask: { path in while path == "/far/a", isHeld.withLock(\.self) { usleep(1000) } })
        let start = SystemClock().now
        #expect(await reach.silent(["/far/a", "/far/b"], within: .milliseconds(50)) == ["/far/a"])
        // The second call does not wait for a folder whose probe still hangs.
        #expect(await reach.silent(["/far/a", "/far/b"], within: .seconds(60)) == ["/far/a"])
        #expect(SystemClock().now - start < .seconds(20))
        isHeld.withLock { $0 = false }
        try await waitUntil { await reach.silent(["/far/a", "/far/b"], within: .seconds(20)) == [] }
    }
}
