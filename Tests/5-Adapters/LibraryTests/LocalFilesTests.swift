import Catalogue
import Model
import Platform
import TestSupport
import Testing

@testable import Library

@Suite(.onLoop)
struct LocalFilesTests {
    private let home = TemporaryFolder()
    private let a = AttachmentID("a")

    @Test @LoopActor func aRowThatWoodshedNeverWritesIsAFaultOfItsFileAlone() throws {
        let library = try Library(folder: home.path)
        let (odd, other) = (
            Samples.localFile("/music/a.xopp", for: a, marks: ["x"]), Samples.localFile("/music/b.xopp", for: a, marks: ["y"])
        )
        try library.markFiles.store([odd, other])
        try library.database.run("UPDATE local_files SET (marks, marks_version) = (NULL, NULL) WHERE path = ?", [.text(odd.path)])
        let files = try library.markFiles.all()
        #expect(files.map(\.fault) == ["is not kept here as it was read; save it once more", nil])
        #expect(files.last == other)
    }

    @Test @LoopActor func filesComeBackAsTheyWereRead() throws {
        let library = try Library(folder: home.path)
        var full = Samples.localFile("/music/01 Grace.xopp", for: a, marks: ["x", "y"])
        full.stamp = FileStamp(device: .max, inode: 1 << 63, size: 12, modified: -3)
        full.markedOn = Samples.hash([1])
        full.fault = "line 3, column 9: cut off"
        full.content?.name = "my \"bowings\""
        full.content?.reference = MarkFile.Reference(attachment: a, chart: Samples.hash([2]), pdf: "../Grace\n.pdf")
        full.content?.otherPages = 2
        full.content?.notes = ["a teximage was left out", ""]
        var unread = LocalFile(path: "/music/empty.xopp", stamp: full.stamp, firstSeen: Samples.monday)
        unread.fault = "empty"
        let unmatched = Samples.localFile("/music/other.marks.json", for: nil, marks: [])

        #expect(try library.markFiles.store([unread, full, unmatched]))
        #expect(try library.markFiles.all() == [full, unread, unmatched])
        #expect(try library.markFiles.file(at: full.path) == full)
        #expect(try library.markFiles.file(at: "/music") == nil)
        #expect(try library.markFiles.stamps().map(\.path) == [full, unread, unmatched].map(\.path))
        #expect(try library.markFiles.stamps().map(\.stamp) == [full, unread, unmatched].map(\.stamp))
        #expect(try Library(readingFrom: home.path).markFiles.all() == [full, unread, unmatched])
    }

    /// The numbers of looks are at least two apart, because events during a look get the number in between.
    @Test @LoopActor func looksAreNumberedAfterAllBefore() throws {
        let library = try Library(folder: home.path)
        try library.markFiles.store([Samples.localFile("/music/01 Grace.xopp", for: a, marks: ["x"])])
        try library.database.run("UPDATE local_files SET saved_in = 7")
        library.close()
        let next = try Library(folder: home.path)
        let looks = try (0..<3).map { _ in try next.markFiles.nextLook() }
        #expect(looks[0] > 7 && looks[1] > looks[0] + 1 && looks[2] > looks[1] + 1)
    }

    @Test @LoopActor func theyDrawOnTheirChartAsIfMadeWhenFirstSeen() throws {
        let library = try Library(folder: home.path)
        let file = Samples.localFile("/music/01 Grace.xopp", for: a, marks: ["x"])
        try library.markFiles.store([file, Samples.localFile("/music/b.xopp", for: AttachmentID("b"), marks: ["y"])])
        let layers = try library.markFiles.localLayers(of: a)
        #expect(layers.map(\.name) == ["01 Grace"])
        #expect(layers.map(\.id) == [file.layerID])
        #expect(layers[0].marks.map(\.createdAt) == [Samples.monday])

        var later = file
        later.firstSeen = Samples.monday + .seconds(5)
        later.stamp.size += 1
        #expect(try library.markFiles.store([later]))
        #expect(try library.markFiles.file(at: file.path)?.firstSeen == Samples.monday)
    }

    @Test @LoopActor func aFileThatComesBackIsAsOldAsItWas() throws {
        let library = try Library(folder: home.path)
        var file = Samples.localFile("/music/01 Grace.xopp", for: a, marks: ["x"])
        try library.markFiles.store([file])
        try library.markFiles.store([], forgetting: [file.path, "/music/never.xopp"])
        #expect(try library.markFiles.all() == [])
        #expect(try library.markFiles.localLayers(of: a) == [])

        file.firstSeen = Samples.monday + .seconds(60)
        try library.markFiles.store([file])
        #expect(try library.markFiles.file(at: file.path)?.firstSeen == Samples.monday)
        #expect(try library.database.rows("SELECT path FROM former_files") { $0.text(0) } == [])
    }

    @Test @LoopActor func theSameFilesWriteNotOneByte() throws {
        let library = try Library(folder: home.path)
        let files = [
            Samples.localFile("/music/a.xopp", for: a, marks: ["x"]), Samples.localFile("/music/b.xopp", for: nil, marks: ["y"]),
            LocalFile(path: "/music/c.xopp", stamp: Samples.stamp, firstSeen: Samples.monday, fault: "empty"),
        ]
        try library.markFiles.store(files)
        let bytes = try library.diskBytes()
        #expect(try !library.markFiles.store(files))
        #expect(try !library.markFiles.store([files[1]]))
        #expect(try !library.markFiles.store([]))
        #expect(try library.diskBytes() == bytes)
    }

    @Test @LoopActor func marksThatAreNoNumbersAreRefusedWithAllThatCameWithThem() throws {
        let library = try Library(folder: home.path)
        var broken = Samples.localFile("/music/b.xopp", for: a, marks: ["x"])
        broken.content?.marks[0].width = .infinity
        #expect(throws: LibraryError.self) {
            try library.markFiles.store([Samples.localFile("/music/a.xopp", for: a, marks: ["x"]), broken])
        }
        #expect(try library.markFiles.all() == [])
    }

    @Test(arguments: 0..<20 as Range<UInt64>) @LoopActor func whatIsStoredLastIsWhatIsRead(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let library = try Library(folder: home.path)
        var expected: [String: LocalFile] = [:]
        for _ in 0..<30 {
            let path = "/music/\(Int.random(in: 0..<5, using: &generator)).xopp"
            if Int.random(in: 0..<4, using: &generator) == 0 {
                try library.markFiles.store([], forgetting: [path])
                expected[path] = nil
            } else {
                let names = (0..<Int.random(in: 0..<4, using: &generator)).map { "m\($0)" }
                var file = Samples.localFile(path, for: [a, nil].randomElement(using: &generator) ?? nil, marks: names)
                file.stamp.modified = .random(in: .min ... .max, using: &generator)
                if Bool.random(using: &generator) { file.fault = "cut off" }
                let isNews = expected[path] != file
                #expect(try library.markFiles.store([file]) == isNews)
                expected[path] = file
            }
            #expect(try library.markFiles.all() == expected.values.sorted { $0.path < $1.path })
        }
    }
}
