import Glibc
import Testing

@testable import Watching

@Suite(.timeLimit(.minutes(5)))
struct WatchTroubleTests {
    @Test func usedUpWatchesAreNoFullDisk() {
        let trouble = WatchTrouble(watchingFailedWith: ENOSPC, folder: "/x")
        guard case .watches(let limit?) = trouble else {
            Issue.record("\(trouble)")
            return
        }
        #expect(limit > 0)
        #expect("\(trouble)".contains("sudo sysctl fs.inotify.max_user_watches="))
        #expect(!"\(trouble)".contains("No space"))
    }

    /// The system's real limit is not used up, because that would disturb every other program of the user.
    @Test func usedUpInstancesAreNotTooManyOpenFiles() {
        let trouble = WatchTrouble(openingFailedWith: EMFILE)
        guard case .instances(let limit?) = trouble else {
            Issue.record("\(trouble)")
            return
        }
        #expect(limit > 0)
        #expect("\(trouble)".contains("sudo sysctl fs.inotify.max_user_instances="))
        #expect("\(WatchTrouble(openingFailedWith: ENFILE))".contains("too many files are open"))
    }

    @Test func otherErrorsNameTheFolder() {
        #expect("\(WatchTrouble(watchingFailedWith: ENOMEM, folder: "/x"))".contains("cannot watch /x"))
    }

    @Test func sysctlRaisesTheLimit() {
        #expect(
            "\(WatchTrouble.watches(limit: 8192))".hasSuffix(
                "(8192) is used up; raise it with: sudo sysctl fs.inotify.max_user_watches=524288"))
        #expect("\(WatchTrouble.watches(limit: 600_000))".hasSuffix("fs.inotify.max_user_watches=1200000"))
    }
}

@Suite(.timeLimit(.minutes(5)))
struct WatchedRootTests {
    @Test func cacheIsWatchedAsFarAsImagesAre() {
        let root = WatchedRoot.pageCache("/c/")
        #expect(root.path == "/c")
        #expect(root.level(of: "/c") == 0)
        #expect(root.level(of: "/c/pages") == 1)
        #expect(root.level(of: "/c/pages/a") == 2)
        #expect(root.level(of: "/c/pages/a/b") == nil)
        #expect(root.level(of: "/c/other") == nil)
        #expect(root.level(of: "/cc/pages") == nil)
    }
}
