import Glibc
import Platform
import TestSupport
import Testing

@testable import Exporting

/// What a booklet leaves behind, and what not.
@Suite(.onLoop)
struct BookletTests {
    private let folder = TemporaryFolder()

    @Test @LoopActor func aChartThatIsLeftOutHalfwayLeavesABookletThatIsOurs() throws {
        let target = folder.path("booklet")
        let booklet = try Booklet(target, title: "Sunday", mayReplace: false)
        booklet.begin("Song a")
        let count = booklet.imageCount
        _ = try booklet.newImage()
        booklet.removeImages(after: count)
        booklet.begin("Song b")
        let image = try booklet.newImage()
        #expect(pwrite(image.file, [UInt8](repeating: 0, count: 24), 24, 0) == 24)
        booklet.add([try booklet.finish(image)], of: "Song b")
        #expect(try booklet.publish())
        #expect(try Booklet.standing(of: target) == .ours)
    }

    @Test @LoopActor func leftoversOfKilledRunsGoAndAreNotInTheWay() throws {
        // No process has such a number.
        let left = folder.path(".tmp-2000000000-booklet-1")
        try Folder.create(left)
        try Folder.create(left + "/.tmp-2000000000-booklet-2")
        try AtomicFile.write("image", to: left + "/.tmp-2000000000-booklet-2/001.png")
        let saved = folder.path(".tmp-2000000000-booklet-3")
        try Folder.create(saved)
        try AtomicFile.write("mine", to: saved + "/mine.txt")
        let taken = (1...100).map { folder.path(".tmp-\(getpid())-booklet-\($0)") }
        for path in taken { try Folder.create(path) }
        _ = try Booklet(folder.path("booklet"), title: "Sunday", mayReplace: false)
        #expect(access(left, F_OK) != 0 && access(saved + "/mine.txt", F_OK) == 0)
        #expect(taken.allSatisfy { access($0, F_OK) == 0 })
    }
}
