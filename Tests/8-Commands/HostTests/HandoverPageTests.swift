import Glibc
import Platform
import TestSupport
import Testing

@testable import Host

@Suite(.timeLimit(.minutes(5)))
struct HandoverPageTests {
    @Test func pagesOfAgentsThatWereKilledAreClearedAway() throws {
        let folder = TemporaryFolder()
        let former = try HandoverPage(to: "http://former", in: folder.path)
        let fresh = try HandoverPage(to: "http://fresh", in: folder.path)
        var times = [timeval(tv_sec: time(nil) - 100, tv_usec: 0), timeval(tv_sec: time(nil) - 100, tv_usec: 0)]
        utimes(former.path, &times)
        let last = try HandoverPage(to: "http://last", in: folder.path)
        #expect(access(former.path, F_OK) != 0 && access(fresh.path, F_OK) == 0 && access(last.path, F_OK) == 0)
        fresh.remove()
        #expect(access(fresh.path, F_OK) != 0)
    }
}
