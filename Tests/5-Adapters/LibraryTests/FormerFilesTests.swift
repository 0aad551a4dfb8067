import Model
import Platform
import TestSupport
import Testing

@testable import Library

/// Tests what the library remembers about a file that comes back, or that appears under another name.
@Suite(.onLoop)
struct FormerFilesTests {
    private let home = TemporaryFolder()
    private let a = Samples.attachment("a")
    private let one = Samples.pdf("1")
    private let two = Samples.pdf("2")

    /// A library with a hidden file whose chart was replaced later.
    @LoopActor private func library(_ file: LocalFile) throws -> Library {
        let library = try Library(folder: home.path)
        try library.plans.update([Samples.contents("1", attachments: [a])], at: Samples.monday)
        try library.download(one, for: a)
        try library.markFiles.store([file])
        try library.drawings.setHidden(true, layer: file.layerID, of: a.id)
        try library.download(two, for: a)
        return library
    }

    private func file(_ path: String, inode: UInt64 = 7, marks: [String] = ["x"], after: Int = 0) -> LocalFile {
        var file = Samples.localFile(path, for: a.id, marks: marks)
        file.stamp.inode = inode
        file.firstSeen = Samples.monday + .seconds(after)
        return file
    }

    @Test @LoopActor func marksOnAnOlderChartStayThatWhenTheirFileIsAway() throws {
        let library = try library(file("/music/a.xopp"))
        #expect(try library.olderMarks.all().map(\.layers) == [[LayerID("file:/music/a.xopp"): Samples.hash(one)]])
        try library.markFiles.store([], forgetting: ["/music/a.xopp"])
        try library.markFiles.store([file("/music/a.xopp", inode: 8)])
        #expect(try library.olderMarks.all().map(\.layers) == [[LayerID("file:/music/a.xopp"): Samples.hash(one)]])

        #expect(try library.accept(chart: a.id) == .marks)
        try library.markFiles.store([], forgetting: ["/music/a.xopp"])
        try library.markFiles.store([file("/music/a.xopp", inode: 9)])
        #expect(try library.olderMarks.all() == [], "what was accepted stays so, too")
    }

    @Test @LoopActor func aChartThatIsReplacedWhileTheFileIsAwayIsANewerOne() throws {
        let library = try Library(folder: home.path)
        try library.plans.update([Samples.contents("1", attachments: [a])], at: Samples.monday)
        try library.download(one, for: a)
        try library.markFiles.store([file("/music/a.xopp"), file("/music/empty.xopp", inode: 8, marks: [])])
        try library.markFiles.store([], forgetting: ["/music/a.xopp", "/music/empty.xopp"])
        try library.download(two, for: a)
        try library.markFiles.store([file("/music/a.xopp"), file("/music/empty.xopp", inode: 8, marks: ["new"])])
        #expect(try library.olderMarks.all().map(\.layers) == [[LayerID("file:/music/a.xopp"): Samples.hash(one)]])
    }

    @Test(arguments: [true, false]) @LoopActor func anotherNameTakesAllAlong(isSameFile: Bool) throws {
        let library = try library(file("/music/a.xopp"))
        let new = file("/music/sub/b.xopp", inode: isSameFile ? 7 : 8, after: 60)
        #expect(try library.markFiles.store([new], forgetting: ["/music/a.xopp"]))
        #expect(try library.markFiles.file(at: new.path)?.firstSeen == Samples.monday)
        #expect(try library.drawings.hiddenLayers(of: a.id) == [new.layerID])
        #expect(try library.olderMarks.all().map(\.layers) == [[new.layerID: Samples.hash(one)]])
        // A later file with the former name is another file.
        let next = file("/music/a.xopp", inode: 9, marks: ["y"], after: 90)
        try library.markFiles.store([next])
        #expect(try library.markFiles.file(at: next.path)?.firstSeen == next.firstSeen)
        #expect(try library.drawings.hiddenLayers(of: a.id) == [new.layerID])
    }

    @Test @LoopActor func aHiddenFileThatIsBackStaysHiddenAndAnotherOfItsNameIsSeen() throws {
        let library = try library(file("/music/a.xopp"))
        let hidden = file("/music/a.xopp").layerID
        for back in [file("/music/a.xopp", inode: 8), file("/music/a.xopp", inode: 8, marks: ["y"])] {
            try library.markFiles.store([], forgetting: [back.path])
            try library.markFiles.store([back])
            #expect(try library.drawings.hiddenLayers(of: a.id) == [hidden], "with the same marks, or the same by number")
        }
        try library.markFiles.store([], forgetting: ["/music/a.xopp"])
        try library.markFiles.store([file("/music/a.xopp", inode: 9, marks: ["z"])])
        #expect(try library.drawings.hiddenLayers(of: a.id) == [])
    }

    @Test @LoopActor func otherFilesTakeNothing() throws {
        let library = try library(file("/music/a.xopp"))
        var unread = file("/music/c.xopp", inode: 0, after: 60)
        (unread.stamp, unread.content, unread.fault) = (FileStamp(device: 0, inode: 0, size: 0, modified: 0), nil, "is empty")
        try library.markFiles.store([unread], forgetting: ["/music/a.xopp"])
        let other = file("/music/b.xopp", inode: 8, marks: ["other"], after: 60)
        try library.markFiles.store([other], forgetting: [unread.path])
        #expect(try library.markFiles.file(at: other.path)?.firstSeen == other.firstSeen)
        unread.path = "/music/d.xopp"
        unread.firstSeen = Samples.monday + .seconds(90)
        try library.markFiles.store([unread])
        #expect(try library.markFiles.file(at: unread.path)?.firstSeen == unread.firstSeen)
        #expect(try library.olderMarks.all() == [])
        #expect(try library.markFiles.localFilePaths(like: other.stamp) == [other.path])
    }

    @Test @LoopActor func filesBelowAFolderAreToldApartFromItsNeighbours() throws {
        let library = try Library(folder: home.path)
        let paths = ["/m/a-b/x.xopp", "/m/a.xopp", "/m/a/x.xopp", "/m/a/y/z.xopp", "/m/a0.xopp"]
        try library.markFiles.store(paths.enumerated().map { file($1, inode: UInt64($0 + 1)) })
        #expect(try library.markFiles.stamps(below: "/m/a").map(\.path) == ["/m/a/x.xopp", "/m/a/y/z.xopp"])
        #expect(try library.markFiles.stamps().map(\.path) == paths)
    }
}
