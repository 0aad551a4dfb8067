import Glibc
import Model
import Platform
import SetFolders
import Sets
import TestSupport
import Testing

/// What is found in the folders in which people keep their sets.
@Suite(.timeLimit(.minutes(5)))
struct SetFoldersTests {
    private let folder = TemporaryFolder()
    private var music: String { folder.path("Sets") }

    private func write(_ path: String, _ text: String = "%PDF-1.7\n%%EOF\n") throws {
        let whole = music + "/" + path
        try Folder.create(Folder.parent(of: whole))
        try AtomicFile.write(text, to: whole)
    }

    private func link(_ path: String, to target: String) throws {
        try Folder.create(Folder.parent(of: music + "/" + path))
        guard symlink(target, music + "/" + path) == 0 else { throw SystemError("link", path: path) }
    }

    private func read() -> FoundSets { SetFolders([music]).read() }

    private func relative(_ path: String) -> String { String(path.dropFirst(music.utf8.count + 1)) }

    private func shown(_ found: FoundSets) -> [String] {
        found.sets.map { set in
            switch set.contents {
            case .items(let items): "\(relative(set.path)): " + items.map { $0.map(\.name).joined(separator: "+") }.joined(separator: ", ")
            case .list(let list): "\(relative(set.path)): \(list.entries.count) lines"
            }
        } + found.book.map { "book \(relative($0.path))" }
            + found.others.map { "other \(relative($0.path)): \($0.reason)" }
    }

    @Test func aTableBesideABookNamesItsSongs() throws {
        try write("Books/Real Book.pdf")
        try write("Books/Real Book.csv", "Title,Start Page\nSo What,12\nSolar,13\n")
        try write("Tables/alone.csv", "Title,Start Page\nSo What,12\n")
        let found = read()
        #expect(
            SetFolders.songs(in: found.indexes).map { "\($0.song.title) \($0.pdf.name) \($0.song.page.number)" }
                == ["So What Real Book.pdf 12", "Solar Real Book.pdf 13"])
        #expect(
            shown(found) == [
                "book Books/Real Book.pdf", "other Tables/alone.csv: it lists the songs of a book, but no PDF is beside it",
            ])
    }

    @Test func foldersListsAndSongbooksAreToldApart() throws {
        for path in [
            "2026-11-29/2 b.pdf", "2026-11-29/10 a.PDF", "2026-11-29/3 c/violin.pdf", "2026-11-29/3 c/flute.cho", "Book/Grace.pdf",
            "Loose.cho",
        ] {
            try write(path)
        }
        try write("2026-12-06.txt", "Grace\nAbide\n")
        try write("2026-02-30/x.pdf")
        try write("notes.txt", "hello")
        try write("29 November.txt", "Grace")
        try write("2026-11-29/3 c/Song.TXT", "hello")
        try write("2026-11-29/2026-12-06.txt", "Grace")
        try write("cover.heic")
        try write("Photo.jpeg")
        #expect(
            shown(read()) == [
                "2026-11-29: 2 b.pdf, flute.cho+Song.TXT+violin.pdf, 10 a.PDF", "2026-12-06.txt: 2 lines", "book Book/Grace.pdf",
                "book Loose.cho",
                "book Photo.jpeg", "book notes.txt", "other 2026-02-30: there is no day 2026-02-30",
                "other 2026-11-29/2026-12-06.txt: a list of songs stands beside the sets",
                "other 29 November.txt: the name of a list of songs begins with its date, as in 2026-11-29.txt",
                "other cover.heic: it is no PDF, no song and no picture that can be shown (JPEG or PNG)",
            ])
    }

    @Test(arguments: [
        ".sync-conflict-20261127-101500-ABCDEFG", " (conflicted copy 2026-11-27 101500)", " (Anna's Conflicted Copy 2026-11-27)",
    ])
    func aSecondVersionIsNamedOnceAndIsNoPlanAndNoChart(addition: String) throws {
        let (list, chart) = ("2026-12-06 Choir\(addition).txt", "2026-11-29/Grace\(addition).pdf")
        for path in ["2026-11-29/Grace.pdf", chart] { try write(path) }
        for path in ["2026-12-06 Choir.txt", list] { try write(path, "Grace\nAbide\n") }
        let found = read()
        #expect(shown(found).prefix(2) == ["2026-11-29: Grace.pdf", "2026-12-06 Choir.txt: 2 lines"], "\(shown(found))")
        #expect(found.sets.count == 2)
        #expect(found.others.map { relative($0.path) } == [chart, list] && found.book.isEmpty)
    }

    @Test func filesOfMarksAreNothingToSpeakOf() throws {
        for name in ["Grace.pdf", "Grace.xopp", "Grace.xoj", "Grace.XOPP.bg.pdf", "bowings.marks.json", "bowings.marks (copy).json"] {
            try write("2026-11-29/" + name)
        }
        #expect(shown(read()) == ["2026-11-29: Grace.pdf"])
    }

    @Test func aSongbookWhoseNameLooksLikeADateIsNamedAndStaysOne() throws {
        try write("05.12.2026 Gig/Grace.pdf")
        try write("05.12.2026 Gig/2026-12-06/Abide.pdf")
        let found = read()
        #expect(
            shown(found) == [
                "05.12.2026 Gig/2026-12-06: Abide.pdf", "book 05.12.2026 Gig/Grace.pdf",
                "other 05.12.2026 Gig/: its charts are a songbook; if its name is a date, write 2026-12-05",
            ])
    }

    @Test func whatProgramsLeaveWhileTheyCopyIsPassedOver() throws {
        for name in [
            "a.pdf.part", ".hidden.pdf", "a.pdf~", ".syncthing.a.pdf.tmp", "~syncthing~a.pdf.tmp", "b.pdf.crdownload", ".stfolder/x.pdf",
        ] {
            try write("2026-11-29/\(name)")
        }
        #expect(shown(read()) == ["2026-11-29: "])
    }

    @Test func linksAreFollowedOnlyInside() throws {
        try write("Book/Grace.pdf")
        try AtomicFile.write("%PDF-1.7 %%EOF", to: folder.path("secret.pdf"))
        try link("2026-11-29/inside.pdf", to: "../Book/Grace.pdf")
        try link("2026-11-29/outside.pdf", to: folder.path("secret.pdf"))
        try link("2026-11-29/parent", to: folder.path)
        try link("2026-11-29/nowhere.pdf", to: "missing.pdf")
        try link("Book/circle", to: "..")
        try link("Book/2026-12-06", to: "../2026-11-29")
        let found = read()
        #expect(
            shown(found) == [
                "2026-11-29: inside.pdf", "book Book/Grace.pdf", "other 2026-11-29/nowhere.pdf: it is a link to nothing",
                "other 2026-11-29/outside.pdf: it is a link to something outside of these folders",
                "other 2026-11-29/parent: it is a link to something outside of these folders",
            ])
    }

    @Test func linksAreFollowedOnADiskThatCameLater() throws {
        guard symlink(folder.path("disk"), music) == 0 else { throw SystemError("link", path: music) }
        let folders = SetFolders([music])
        #expect(folders.read().away.map(\.path) == [music])
        try Folder.create(folder.path("disk"))
        try write("Book/Grace.pdf")
        try link("2026-11-29/inside.pdf", to: "../Book/Grace.pdf")
        #expect(shown(folders.read()) == ["2026-11-29: inside.pdf", "book Book/Grace.pdf"])
    }

    @Test func aNameThatIsNoTextIsNamed() throws {
        try Folder.create(music)
        let path = Array(music.utf8) + Array("/bad".utf8) + [0xFF] + Array(".pdf".utf8) + [0]
        let number = path.withUnsafeBufferPointer { bytes in
            bytes.withMemoryRebound(to: CChar.self) { open($0.baseAddress!, O_WRONLY | O_CREAT, 0o600) }
        }
        #expect(number >= 0)
        close(number)
        #expect(read().others.map(\.reason) == ["its name is no text"])
    }

    @Test func aFolderInsideOfAnotherIsReadOnce() throws {
        try write("2026-11-29/Grace.pdf")
        try write("Book/Vision.pdf")
        for folders in [[folder.path, music], [music, folder.path]] {
            let found = SetFolders(folders).read()
            #expect(found.sets.map { relative($0.path) } == ["2026-11-29"] && found.book.map { relative($0.path) } == ["Book/Vision.pdf"])
        }
    }

    @Test func aFolderThatDoesNotAnswerIsAway() throws {
        try write("2026-11-29/Grace.pdf")
        let other = folder.path("Other")
        try Folder.create(other)
        let found = SetFolders([other, music], silent: [music]).read()
        #expect(found.away.map(\.path) == [music], "its sets are not gone")
        #expect(found.sets.isEmpty)
    }

    @Test func aFolderThatIsMissingIsAway() {
        let found = read()
        #expect(found.away.map(\.path) == [music])
        #expect(found.sets.isEmpty)
    }

    @Test func pipesAndOtherThingsAreNotOpened() throws {
        try Folder.create(music + "/2026-11-29")
        #expect(mkfifo(music + "/2026-11-29/pipe.pdf", 0o600) == 0)
        #expect(mkfifo(music + "/2026-12-06.txt", 0o600) == 0)
        #expect(
            shown(read()) == ["2026-11-29: ", "other 2026-11-29/pipe.pdf: it is no file", "other 2026-12-06.txt: it is no file"])
    }

    @Test func namesInAnyFormOfUnicodeAndAnyLengthAreRead() throws {
        let long = String(repeating: "n", count: 251)
        for name in ["A\u{0308}ndere", "שיר", "two\nlines", long] { try write("2026-11-29/\(name).pdf") }
        let names = read().sets.flatMap(\.files).map(\.name)
        #expect(Set(names.map { Array($0.utf8) }) == Set(["A\u{0308}ndere", "שיר", "two\nlines", long].map { Array("\($0).pdf".utf8) }))
    }

    // MARK: - Reading a file

    private func file(_ path: String) throws -> SetFile { try #require(read().book.first { relative($0.path) == path }) }

    @Test func aFileIsReadAsItWasListed() throws {
        try write("a.pdf", "%PDF-1.7 one %%EOF")
        let file = try file("a.pdf")
        let target = try TemporaryFile.create(inFolderOf: folder.path("x"))
        let reading = try SetFolders.read(file, to: target, now: Timestamp(nanoseconds: 0))
        #expect(reading == .whole(SHA256.digest(of: "%PDF-1.7 one %%EOF"), .pdf))
        #expect(String(decoding: try AtomicFile.read(target.path, limit: 100), as: UTF8.self) == "%PDF-1.7 one %%EOF")
        try write("a.pdf", "%PDF-1.7 another %%EOF")
        #expect(try SetFolders.read(file, now: Timestamp(nanoseconds: 0)) == .unfinished)
    }

    @Test(arguments: ["IEND\u{AE}B`\u{82}", "\u{FF}\u{D9} and a film", "half"]) func aPictureIsWholeOnceItEnds(end: String) throws {
        let path = music + "/a.jpg"
        try Folder.create(music)
        try end.unicodeScalars.map { UInt8($0.value) }.withUnsafeBytes { try AtomicFile.write($0, to: path) }
        let file = try file("a.jpg")
        let reading = try SetFolders.read(file, now: Timestamp(nanoseconds: file.stamp.modified))
        #expect((reading == .unfinished) == (end == "half"))
    }

    @Test func aPDFThatDoesNotEndIsBelievedOnceNobodyWritesToIt() throws {
        try write("a.pdf", "%PDF-1.7 half")
        let file = try file("a.pdf")
        let written = Timestamp(nanoseconds: file.stamp.modified)
        #expect(try SetFolders.read(file, now: written + .seconds(9)) == .unfinished)
        guard case .whole = try SetFolders.read(file, now: written + .seconds(11)) else {
            Issue.record("it is believed")
            return
        }
    }
}
