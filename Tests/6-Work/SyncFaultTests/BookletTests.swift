import Glibc
import Platform
import TestSupport
import Testing

@testable import Exporting

/// The files that an unfinished booklet leaves behind.
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
        // No process has the number 2000000000.
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

    /// Anybody who may write to the folder can put links there, so left-overs are removed without following links.
    @Test @LoopActor func whatIsBehindALinkNamedLikeALeftoverStays() throws {
        let others = folder.path("others")
        try Folder.create(others)
        for name in ["index.html", "001.png"] { try AtomicFile.write("mine", to: others + "/" + name) }
        try Folder.create(folder.path("target"))
        #expect(symlink(others, folder.path("target/.tmp-2000000000-booklet-1")) == 0)
        // A left-over with links in it, to a folder and to a file.
        let left = folder.path("target/.tmp-2000000000-booklet-2")
        try Folder.create(left)
        #expect(symlink(others, left + "/.tmp-2000000000-booklet-3") == 0 && symlink(others + "/001.png", left + "/001.png") == 0)
        let deep = left + "/.tmp-2000000000-booklet-4/.tmp-2000000000-booklet-5"
        try Folder.create(deep)
        try AtomicFile.write("too deep for one of ours", to: deep + "/001.png")
        _ = try Booklet(folder.path("target"), title: "Sunday", mayReplace: false)
        #expect(try Folder.names(in: others) == ["001.png", "index.html"])
        #expect(access(deep + "/001.png", F_OK) == 0)
    }

    @Test @LoopActor func theImagesOfAnotherBookletStayWhereALinkLeadsToThem() throws {
        func publish(_ target: String, _ title: String) throws {
            let booklet = try Booklet(target, title: title, mayReplace: true)
            booklet.begin(title)
            let image = try booklet.newImage()
            #expect(pwrite(image.file, [UInt8](repeating: 0, count: 24), 24, 0) == 24)
            booklet.add([try booklet.finish(image)], of: title)
            #expect(try booklet.publish())
        }
        let (kept, target) = (folder.path("kept"), folder.path("target"))
        try publish(kept, "Kept")
        let images = try #require(try Folder.names(in: kept).first { $0.hasPrefix("pages-") })
        try Folder.create(target)
        #expect(symlink(kept + "/" + images, target + "/" + images) == 0)
        try publish(target, "Sunday")
        #expect(try Booklet.standing(of: kept) == .ours)
    }
}
