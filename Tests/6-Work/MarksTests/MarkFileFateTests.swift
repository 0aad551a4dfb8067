import Catalogue
import Glibc
import Model
import Platform
import TestSupport
import Testing

@testable import Library
@testable import Marks

/// The fate of marks whose files are half written, malformed, gone or back.
@Suite(.onLoop)
struct MarkFileFateTests {
    typealias Dot = MarkText.Dot
    static let dots = [Dot(page: 0, x: 0.5), Dot(page: 1, x: 0.25)]

    /// A chart with the marks of one file.
    @LoopActor
    func marked(_ name: String = "a.marks.json") async throws -> MarkDesk {
        let stage = try await MarkDesk(["a"])
        let text =
            name.hasSuffix(".json")
            ? MarkText.native("a", Self.dots) : MarkText.journal(stage.music.path(try stage.link("a")), Self.dots)
        try stage.music.save(text, as: name)
        await stage.quiet()
        #expect(try stage.drawn()["a"]?.count == 2)
        return stage
    }

    @Test @LoopActor func marksBesideAChartInAFolderOfSetsAreDrawn() async throws {
        let stage = try await MarkDesk(["a"])
        let sets = try MusicFolder(stage.folder.path("Sets"))
        sets.events = stage.home.events
        try AtomicFile.write(SmallService.pdf("a"), to: sets.path("Grace.pdf"))
        for name in ["Grace", "Later"] { try sets.save(MarkText.journal(sets.path("\(name).pdf"), Self.dots), as: "\(name).xopp") }
        await stage.home.lookAgain()
        #expect(try stage.drawn()["a"]?.count == 2)
        #expect(!stage.logged.contains { $0.contains("belongs to no chart here") }, "no plan has the other chart yet")
    }

    // MARK: Half written

    @Test(arguments: ["a.marks.json", "a.xopp"]) @LoopActor func halfWrittenFileKeepsItsLastGoodMarks(name: String) async throws {
        let stage = try await marked(name)
        let good = try #require(stage.music.files[name])
        let marks = try stage.known(name)?.content
        for length in [0, 1, good.count / 2, good.count - 3] {
            try stage.music.overwrite(Array(good[..<length]), as: name)
            await stage.quiet()
            let file = try #require(try stage.known(name))
            #expect(file.content == marks)
            #expect(file.fault != nil)
            if length > 1 { #expect(file.fault?.contains("line ") == true || file.fault?.contains("byte ") == true, "\(file.fault ?? "")") }
            #expect(stage.logged.last { $0.contains(name) }?.contains("its last good marks are kept") == true)
        }
        // The same holds after a restart.
        await stage.end()
        try await stage.beginAgain()
        #expect(try stage.known(name)?.content == marks)
        try stage.music.overwrite(good, as: name)
        await stage.quiet()
        #expect(try stage.known(name)?.fault == nil)
    }

    @Test @LoopActor func fileThatIsWrittenInStepsIsReadOnce() async throws {
        let stage = try await MarkDesk(["a"])
        let bytes = Array(MarkText.native("a", Self.dots).utf8)
        try stage.music.overwrite([], as: "a.marks.json")
        for start in stride(from: 0, to: bytes.count, by: 20) {
            await stage.wait(for: .milliseconds(50))
            try stage.music.append(bytes[start..<min(start + 20, bytes.count)], to: "a.marks.json")
        }
        await stage.quiet()
        #expect(!stage.logged.contains { $0.contains("a.marks.json") }, "\(stage.logged)")
        #expect(try stage.drawn()["a"]?.count == 2)
    }

    @Test(.enabled(if: geteuid() != 0, "root may read every file"))
    @LoopActor func fileThatMayBeReadLaterIsReadThen() async throws {
        let stage = try await MarkDesk(["a"])
        try stage.music.save(MarkText.native("a", Self.dots), as: "a.marks.json")
        chmod(stage.music.path("a.marks.json"), 0)
        await stage.quiet()
        #expect(try stage.known("a.marks.json")?.fault?.contains("cannot be read") == true)
        chmod(stage.music.path("a.marks.json"), 0o600)
        stage.music.rescan()
        await stage.quiet()
        #expect(try stage.known("a.marks.json")?.fault == nil)
        #expect(try stage.drawn()["a"]?.count == 2)
    }

    @Test @LoopActor func twoFilesOfOneNameInTwoUnicodeFormsComeAndGoEachByItself() async throws {
        let stage = try await marked("other.marks.json")
        let names = ["\u{E9}.marks.json", "e\u{301}.marks.json"]
        for (number, name) in names.enumerated() {
            try stage.music.save(MarkText.native("a", [Dot(page: number, x: 0.75)]), as: name)
        }
        await stage.quiet()
        #expect(try names.map { try stage.known($0)?.content?.marks.map(\.page.value) } == [[0], [1]])
        for name in names { try stage.music.delete(name) }
        await stage.quiet()
        #expect(try names.map { try stage.known($0) } == [nil, nil])
    }

    // MARK: Xournal++

    @Test @LoopActor func savingAsXournalDoesNeverLosesMarks() async throws {
        let stage = try await marked("a.xopp")
        let original = try stage.drawn()
        let content = try stage.known("a.xopp")?.content
        for (round, pause) in [Duration.milliseconds(1), .milliseconds(100), .seconds(3)].enumerated() {
            for isLookedAt in [false, true] {
                try await stage.music.saveAsXournalDoes(try #require(stage.music.files["a.xopp"]), as: "a.xopp") { () async throws in
                    if isLookedAt { stage.music.rescan() }
                    await stage.wait(for: pause)
                    #expect(try stage.known("a.xopp")?.content == content, "round \(round)")
                    #expect(try stage.drawn() == original)
                }
                await stage.quiet()
                #expect(try stage.known("a.xopp")?.fault == nil)
            }
        }
    }

    @Test @LoopActor func fileThatStaysAsideIsGoneWhenWhatStoodInForItIs() async throws {
        let stage = try await marked("a.xopp")
        try stage.music.save(MarkText.native("a", []), as: "other.marks.json")
        try stage.music.rename("a.xopp", to: "a.xopp~")
        await stage.quiet()
        stage.music.rescan()
        await stage.quiet()
        #expect(try stage.known("a.xopp")?.content != nil, "it crashed while it saved; the user may rename it back")
        try stage.music.delete("a.xopp~")
        await stage.quiet()
        #expect(try stage.known("a.xopp") == nil)
    }

    /// Some editors keep a former version beside the file, with "~" after its name. If the file is deleted, that version must not
    /// stand in for it.
    @Test(arguments: ["a.xopp", "a.marks.json"]) @LoopActor func copyOfAFormerFileDoesNotStandInForIt(name: String) async throws {
        let stage = try await marked(name)
        try stage.music.save(MarkText.native("a", []), as: "other.marks.json")
        let isJournal = name.hasSuffix(".xopp")
        try stage.music.save("what it was before", as: name + "~")
        if isJournal {
            var times = [timespec(tv_sec: 1, tv_nsec: 0), timespec(tv_sec: 1_700_000_000, tv_nsec: 0)]
            #expect(utimensat(AT_FDCWD, stage.music.path(name + "~"), &times, 0) == 0)
        }
        try stage.music.delete(name)
        await stage.quiet()
        #expect(try stage.known(name) == nil)
    }

    @Test @LoopActor func fileThatStandsInForAnotherIsReportedOnce() async throws {
        let stage = try await marked("a.xopp")
        try stage.music.save(MarkText.native("a", []), as: "other.marks.json")
        try stage.music.rename("a.xopp", to: "a.xopp~")
        for _ in 0..<2 {
            await stage.quiet()
            stage.music.rescan()
        }
        await stage.quiet()
        #expect(stage.logged.count { $0.contains("a.xopp is missing but") } == 1)
    }

    // MARK: Other names

    @Test(arguments: [true, false]) @LoopActor func renamedFileStaysHiddenAndAsOldAsItWas(hasEvent: Bool) async throws {
        let stage = try await marked()
        try stage.music.save(MarkText.native("a", []), as: "other.marks.json")
        try stage.music.makeFolder("set")
        await stage.quiet()
        let attachment = AttachmentID("a")
        let before = try #require(try stage.known("a.marks.json"))
        try stage.library.drawings.setHidden(true, layer: before.layerID, of: attachment)
        await stage.wait(for: .seconds(60))
        let events = stage.music.events
        if !hasEvent { stage.music.events = nil }
        try stage.music.rename("a.marks.json", to: "set/b.marks.json")
        if !hasEvent {
            stage.music.events = events
            stage.music.rescan()
        }
        await stage.quiet()
        var after = try #require(try stage.known("set/b.marks.json"))
        #expect(try stage.library.drawings.hiddenLayers(of: attachment) == [after.layerID])
        #expect(try stage.known("a.marks.json") == nil)
        after.path = before.path
        // Renaming changes the file's status, too.
        after.stamp.changed = before.stamp.changed
        #expect(after == before)
        // A moved folder takes its files along.
        try stage.music.moveFolder("set", to: "moved")
        await stage.quiet()
        let moved = try #require(try stage.known("moved/b.marks.json"))
        #expect(moved.firstSeen == before.firstSeen)
        #expect(try stage.library.drawings.hiddenLayers(of: attachment) == [moved.layerID])
    }

    /// Another program may delete a file and then write it again, so a file that a scan does not find is not forgotten at once.
    @Test @LoopActor func fileThatALookDoesNotFindIsGivenAMoment() async throws {
        let stage = try await marked()
        try stage.music.save(MarkText.native("a", []), as: "other.marks.json")
        await stage.quiet()
        let bytes = try #require(stage.music.files["a.marks.json"])
        let events = stage.music.events
        stage.music.events = nil
        try stage.music.delete("a.marks.json")
        stage.music.events = events
        stage.music.rescan()
        await stage.wait(for: .milliseconds(100))
        #expect(try stage.known("a.marks.json") != nil)
        try stage.music.save(bytes, as: "a.marks.json")
        await stage.quiet()
        #expect(!stage.logged.contains { $0.contains("is gone") })
    }

    // MARK: Charts that arrive later

    @Test @LoopActor func filesWithoutAChartAreReportedOnceAndAtTheNextStartTogether() async throws {
        let stage = try await MarkDesk(["a"])
        func reports() -> [String] { stage.logged.filter { $0.contains("no chart here") } }
        for name in ["n", "u"] { try stage.music.save(MarkText.native("999", [Dot(page: 0, x: 0.5)]), as: "\(name).marks.json") }
        await stage.quiet()
        stage.music.rescan()
        await stage.quiet()
        #expect(reports().count == 2)
        await stage.end()
        try await stage.beginAgain()
        stage.home.keeper.matchAgain()
        stage.music.rescan()
        await stage.quiet()
        let all = "\(stage.music.path("n.marks.json")) and 1 more still belong to no chart here; 'woodshed status' lists them"
        #expect(reports() == [all])
    }

    @Test @LoopActor func fileWithoutAChartIsReportedAndMatchesWhenItComes() async throws {
        let stage = try await MarkDesk(["a"])
        let text = SmallService.pdf("b")
        let hash = SHA256.digest(of: text).hex
        try stage.music.save(MarkText.native("b", Self.dots), as: "by id.marks.json")
        try stage.music.save(
            ##"{"chart":"\##(hash)","marks":[{"id":"1","page":0,"kind":"pen","color":"#00ff00","width":0.1,"points":[[0.1,0.1]]}]}"##,
            as: "by bytes.marks.json")
        try stage.music.save(text, as: "mine.pdf")
        try stage.music.save(MarkText.journal("mine.pdf", [Dot(page: 1, x: 0.9)]), as: "by the PDF.xopp")
        try stage.music.save(
            MarkText.journal(stage.music.path(try stage.link("a")).replacing("01 Song a", with: "02 Song b"), [Dot(page: 1, x: 0.8)]),
            as: "by link.xopp")
        await stage.quiet()
        let names = ["by id.marks.json", "by bytes.marks.json", "by the PDF.xopp", "by link.xopp"]
        for name in names {
            #expect(try stage.known(name)?.attachment == nil)
            #expect(try stage.known(name)?.content?.marks.isEmpty == false)
            #expect(stage.logged.contains { $0.contains(name) && $0.contains("no chart") })
        }
        try await stage.add("b")
        for name in names { #expect(try stage.known(name)?.attachment == AttachmentID("b"), "\(name)") }
        #expect(try stage.drawn()["b"]?.count == 2)
    }

    @Test @LoopActor func whatCouldNotBeStoredIsTriedAgainByItself() async throws {
        let stage = try await MarkDesk(["a"])
        let other = try Database(path: stage.folder.path("data/catalogue.sqlite"), access: .readWrite)
        try other.run("BEGIN IMMEDIATE")
        try stage.music.save(MarkText.native("a", Self.dots), as: "a.marks.json")
        await stage.quiet()
        #expect(try stage.known("a.marks.json") == nil)
        try other.run("ROLLBACK")
        other.close()
        await stage.wait(for: .seconds(60))
        await stage.quiet()
        #expect(try stage.known("a.marks.json")?.content?.marks.count == 2)
    }

    /// A file of marks may name any path as its PDF, but only PDFs in the configured folders are opened.
    @Test(arguments: ["/dev/zero", "/proc/self/mem", "pipe.pdf", "../outside.pdf", "link.pdf", "way/outside.pdf"])
    @LoopActor func onlyPDFsInTheFoldersAreOpened(pdf: String) async throws {
        let stage = try await MarkDesk(["a"])
        try AtomicFile.write(SmallService.pdf("a"), to: stage.folder.path("outside.pdf"))
        symlink(stage.folder.path("outside.pdf"), stage.music.path("link.pdf"))
        symlink(stage.folder.path, stage.music.path("way"))
        mkfifo(stage.music.path("pipe.pdf"), 0o600)
        try stage.music.save(MarkText.journal(pdf, Self.dots), as: "a.xopp")
        await stage.quiet()
        #expect(try stage.known("a.xopp")?.content != nil)
        #expect(try stage.known("a.xopp")?.attachment == nil)
    }

    // MARK: Not a regular file

    @Test @LoopActor func whatCannotBeReadIsReportedOnceAtTheStartAndLater() async throws {
        let stage = try await marked()
        await stage.end()
        let music = stage.music.path
        /// Makes a file whose name has a byte that is not valid text in place of \u{1}.
        func make(_ name: String) {
            let number = open(stage.music.path(name).utf8CString.map { $0 == 1 ? CChar(bitPattern: 0xe9) : $0 }, O_CREAT | O_WRONLY, 0o600)
            #expect(number >= 0)
            close(number)
        }
        mkfifo(stage.music.path("pipe.xopp"), 0o600)
        symlink(stage.music.path("a.marks.json"), stage.music.path("link.marks.json"))
        for number in 0..<50 { symlink("/nowhere", stage.music.path("chart \(number).pdf")) }
        make("caf\u{1}.xopp")
        make("caf\u{1}.pdf")
        try await stage.beginAgain()
        let lines = [
            "pipe.xopp is a pipe", "link.marks.json is a link, and links are not followed here",
            "caf\\xe9.xopp is not read: its name cannot be read (shown with \\x); rename it",
        ].map { music + "/" + $0 }
        func reports() -> [String] { stage.logged.filter { $0.contains(music) } }
        #expect(reports().count == 3)
        for line in lines { #expect(reports().contains { $0.hasSuffix(line) }, "\(line)") }
        #expect(try stage.known("pipe.xopp")?.fault == "is a pipe")
        #expect(stage.home.keeper.folders.passedOver.keys.sorted() == [music + "/caf\\xe9.xopp"])

        mkfifo(stage.music.path("later.xopp"), 0o600)
        make("later\u{1}.xopp")
        for _ in 0..<2 {
            stage.music.rescan()
            await stage.quiet()
        }
        #expect(reports().count == 5, "\(reports())")

        for name in ["pipe.xopp", "later.xopp"] { unlink(stage.music.path(name)) }
        unlink(stage.music.path("caf\u{1}.xopp").utf8CString.map { $0 == 1 ? CChar(bitPattern: 0xe9) : $0 })
        stage.music.rescan()
        await stage.quiet()
        #expect(try stage.known("pipe.xopp") == nil)
        #expect(stage.home.keeper.folders.passedOver.keys.sorted() == [music + "/later\\xe9.xopp"])
    }
}
