import Agent
import Catalogue
import Glibc
import Model
import Platform
import TestSupport
import Testing

@testable import Library
@testable import Marks

/// What becomes of marks when their files are half written, strange, gone or back.
@Suite(.onLoop)
struct MarkFileFateTests {
    typealias Dot = MarkText.Dot
    static let dots = [Dot(page: 0, x: 0.5), Dot(page: 1, x: 0.25)]

    @LoopActor
    func known(_ name: String, _ stage: MarkStage) throws -> LocalFile? {
        try stage.stage.library.markFiles.file(at: stage.music.path(name))
    }

    /// A chart with the marks of one file.
    @LoopActor
    func marked(_ name: String = "a.marks.json") async throws -> MarkStage {
        let stage = try await MarkStage(["a"])
        let text =
            name.hasSuffix(".json")
            ? MarkText.native("a", Self.dots) : MarkText.journal(stage.music.path(try stage.link("a")), Self.dots)
        try stage.music.save(text, as: name)
        await stage.quiet()
        #expect(stage.rendered() == ["annotated", "annotated"])
        return stage
    }

    // MARK: Half written

    @Test(arguments: ["a.marks.json", "a.xopp"]) @LoopActor func halfWrittenFileKeepsItsLastGoodMarks(name: String) async throws {
        let stage = try await marked(name)
        let good = try #require(stage.music.files[name])
        let marks = try known(name, stage)?.content
        for length in [0, 1, good.count / 2, good.count - 3] {
            try stage.music.overwrite(Array(good[..<length]), as: name)
            await stage.quiet()
            let file = try #require(try known(name, stage))
            #expect(file.content == marks)
            #expect(file.fault != nil)
            if length > 1 { #expect(file.fault?.contains("line ") == true || file.fault?.contains("byte ") == true, "\(file.fault ?? "")") }
            #expect(stage.stage.logged.last { $0.contains(name) }?.contains("its last good marks are kept") == true)
        }
        // Also over a restart.
        await stage.end()
        try await stage.beginAgain()
        #expect(try known(name, stage)?.content == marks)
        #expect(stage.rendered() == [])
        try stage.music.overwrite(good, as: name)
        await stage.quiet()
        #expect(try known(name, stage)?.fault == nil)
        #expect(stage.rendered() == [])
    }

    @Test @LoopActor func fileThatIsWrittenInStepsIsReadOnce() async throws {
        let stage = try await MarkStage(["a"])
        let bytes = Array(MarkText.native("a", Self.dots).utf8)
        try stage.music.overwrite([], as: "a.marks.json")
        for start in stride(from: 0, to: bytes.count, by: 20) {
            await stage.stage.wait(for: .milliseconds(50))
            try stage.music.append(bytes[start..<min(start + 20, bytes.count)], to: "a.marks.json")
        }
        await stage.quiet()
        #expect(!stage.stage.logged.contains { $0.contains("a.marks.json") }, "\(stage.stage.logged)")
        #expect(stage.rendered().count == 2)
    }

    @Test(.enabled(if: geteuid() != 0, "root may read every file"))
    @LoopActor func fileThatMayBeReadLaterIsReadThen() async throws {
        let stage = try await MarkStage(["a"])
        try stage.music.save(MarkText.native("a", Self.dots), as: "a.marks.json")
        chmod(stage.music.path("a.marks.json"), 0)
        await stage.quiet()
        #expect(try known("a.marks.json", stage)?.fault?.contains("cannot be read") == true)
        chmod(stage.music.path("a.marks.json"), 0o600)
        stage.music.rescan()
        await stage.quiet()
        #expect(try known("a.marks.json", stage)?.fault == nil)
        #expect(stage.rendered().count == 2)
    }

    @Test @LoopActor func twoFilesOfOneNameInTwoUnicodeFormsComeAndGoEachByItself() async throws {
        let stage = try await marked("other.marks.json")
        let names = ["\u{E9}.marks.json", "e\u{301}.marks.json"]
        for (number, name) in names.enumerated() {
            try stage.music.save(MarkText.native("a", [Dot(page: number, x: 0.75)]), as: name)
        }
        await stage.quiet()
        #expect(try names.map { try known($0, stage)?.content?.marks.map(\.page.value) } == [[0], [1]])
        for name in names { try stage.music.delete(name) }
        await stage.quiet()
        #expect(try names.map { try known($0, stage) } == [nil, nil])
    }

    // MARK: Xournal++

    @Test @LoopActor func savingAsXournalDoesNeverLosesMarks() async throws {
        let stage = try await marked("a.xopp")
        let original = try await stage.wanted()
        let content = try known("a.xopp", stage)?.content
        for (round, pause) in [Duration.milliseconds(1), .milliseconds(100), .seconds(3)].enumerated() {
            for isLookedAt in [false, true] {
                try await stage.music.saveAsXournalDoes(try #require(stage.music.files["a.xopp"]), as: "a.xopp") { () async throws in
                    if isLookedAt { stage.music.rescan() }
                    await stage.stage.wait(for: pause)
                    #expect(try known("a.xopp", stage)?.content == content, "round \(round)")
                    #expect(try await stage.wanted() == original)
                }
                await stage.quiet()
                #expect(try known("a.xopp", stage)?.fault == nil)
            }
        }
        #expect(stage.rendered() == [])
    }

    @Test @LoopActor func fileThatStaysAsideIsGoneWhenWhatStoodInForItIs() async throws {
        let stage = try await marked("a.xopp")
        try stage.music.save(MarkText.native("a", []), as: "other.marks.json")
        try stage.music.rename("a.xopp", to: "a.xopp~")
        await stage.quiet()
        stage.music.rescan()
        await stage.quiet()
        #expect(try known("a.xopp", stage)?.content != nil, "it crashed while it saved; the user may rename it back")
        try stage.music.delete("a.xopp~")
        await stage.quiet()
        #expect(try known("a.xopp", stage) == nil)
    }

    /// Somebody's editor keeps the former file, too.
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
        #expect(try known(name, stage) == nil)
    }

    @Test @LoopActor func fileThatStandsInForAnotherIsToldOfOnce() async throws {
        let stage = try await marked("a.xopp")
        try stage.music.save(MarkText.native("a", []), as: "other.marks.json")
        try stage.music.rename("a.xopp", to: "a.xopp~")
        for _ in 0..<2 {
            await stage.quiet()
            stage.music.rescan()
        }
        await stage.quiet()
        #expect(stage.stage.logged.count { $0.contains("a.xopp is missing but") } == 1)
    }

    // MARK: Other names

    @Test(arguments: [true, false]) @LoopActor func renamedFileStaysHiddenAndAsOldAsItWas(isHeard: Bool) async throws {
        let stage = try await marked()
        try stage.music.save(MarkText.native("a", []), as: "other.marks.json")
        try stage.music.makeFolder("set")
        await stage.quiet()
        let attachment = AttachmentID("a")
        let before = try #require(try known("a.marks.json", stage))
        try stage.stage.library.drawings.setHidden(true, layer: before.layerID, of: attachment)
        await stage.stage.wait(for: .seconds(60))
        let events = stage.music.events
        if !isHeard { stage.music.events = nil }
        try stage.music.rename("a.marks.json", to: "set/b.marks.json")
        if !isHeard {
            stage.music.events = events
            stage.music.rescan()
        }
        await stage.quiet()
        var after = try #require(try known("set/b.marks.json", stage))
        #expect(try stage.stage.library.drawings.hiddenLayers(of: attachment) == [after.layerID])
        #expect(try known("a.marks.json", stage) == nil)
        after.path = before.path
        // To be renamed is a change of the file, too.
        after.stamp.changed = before.stamp.changed
        #expect(after == before)
        // A folder takes them along.
        try stage.music.moveFolder("set", to: "moved")
        await stage.quiet()
        let moved = try #require(try known("moved/b.marks.json", stage))
        #expect(moved.firstSeen == before.firstSeen)
        #expect(try stage.stage.library.drawings.hiddenLayers(of: attachment) == [moved.layerID])
    }

    /// Another program may delete a file to write it anew.
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
        await stage.stage.wait(for: .milliseconds(100))
        #expect(try known("a.marks.json", stage) != nil)
        try stage.music.save(bytes, as: "a.marks.json")
        await stage.quiet()
        #expect(!stage.stage.logged.contains { $0.contains("is gone") })
    }

    // MARK: Charts that come

    @Test @LoopActor func fileWithoutAChartIsToldAndMatchesWhenItComes() async throws {
        let stage = try await MarkStage(["a"])
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
            #expect(try known(name, stage)?.attachment == nil)
            #expect(try known(name, stage)?.content?.marks.isEmpty == false)
            #expect(stage.stage.logged.contains { $0.contains(name) && $0.contains("no chart") })
        }
        #expect(stage.rendered() == [])
        stage.stage.service.plans[0].charts.append(Season.chart("b"))
        await stage.sync()
        for name in names { #expect(try known(name, stage)?.attachment == AttachmentID("b"), "\(name)") }
        #expect(try await stage.wanted().count { $0.variant == .annotated } == 2)
        #expect(try await stage.stage.agent.planTable().isComplete)
    }

    @Test @LoopActor func pageThatTheChartDoesNotHaveIsTold() async throws {
        let stage = try await MarkStage(["a"])
        try stage.music.save(MarkText.native("a", [Dot(page: 0, x: 0.5), Dot(page: 7, x: 0.5)]), as: "a.marks.json")
        await stage.quiet()
        #expect(stage.rendered() == ["annotated"])
        #expect(stage.stage.logged.contains { $0.contains("a.marks.json") && $0.contains("does not have") })
        #expect(try known("a.marks.json", stage)?.content?.marks.count == 2)
    }

    @Test @LoopActor func pageThatTheChartDoesNotHaveIsToldWhenItsPagesAreCounted() async throws {
        let stage = try await MarkStage(["a"])
        try stage.music.save(MarkText.native("b", [Dot(page: 0, x: 0.5), Dot(page: 7, x: 0.5)]), as: "b.marks.json")
        await stage.quiet()
        stage.stage.service.plans[0].charts.append(Season.chart("b"))
        await stage.sync()
        #expect(try known("b.marks.json", stage)?.attachment == AttachmentID("b"))
        #expect(stage.stage.logged.count { $0.contains("b.marks.json") && $0.contains("does not have") } == 1)
    }

    @Test @LoopActor func whatCouldNotBeStoredIsTriedAgainByItself() async throws {
        let stage = try await MarkStage(["a"])
        let other = try Database(path: stage.folder.path("data/catalogue.sqlite"), access: .readWrite)
        try other.run("BEGIN IMMEDIATE")
        try stage.music.save(MarkText.native("a", Self.dots), as: "a.marks.json")
        await stage.quiet()
        #expect(try known("a.marks.json", stage) == nil)
        try other.run("ROLLBACK")
        other.close()
        await stage.stage.wait(for: .seconds(60))
        await stage.quiet()
        #expect(try known("a.marks.json", stage)?.content?.marks.count == 2)
    }

    /// A file of marks has no say in what is opened.
    @Test(arguments: ["/dev/zero", "/proc/self/mem", "pipe.pdf", "../outside.pdf", "link.pdf", "way/outside.pdf"])
    @LoopActor func onlyPDFsInTheFoldersAreOpened(pdf: String) async throws {
        let stage = try await MarkStage(["a"])
        try AtomicFile.write(SmallService.pdf("a"), to: stage.folder.path("outside.pdf"))
        symlink(stage.folder.path("outside.pdf"), stage.music.path("link.pdf"))
        symlink(stage.folder.path, stage.music.path("way"))
        mkfifo(stage.music.path("pipe.pdf"), 0o600)
        try stage.music.save(MarkText.journal(pdf, Self.dots), as: "a.xopp")
        await stage.quiet()
        #expect(try known("a.xopp", stage)?.content != nil)
        #expect(try known("a.xopp", stage)?.attachment == nil)
    }

    // MARK: What is no file

    @Test @LoopActor func whatCannotBeReadIsToldOnceAtTheStartAndLater() async throws {
        let stage = try await marked()
        await stage.end()
        let music = stage.music.path
        /// A name with a byte that cannot stand in a text, where \u{1} is.
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
            "caf\\xe9.xopp is not read: its name is not UTF-8 (shown with \\x); rename it",
        ].map { music + "/" + $0 }
        func told() -> [String] { stage.stage.logged.filter { $0.contains(music) } }
        #expect(told().count == 3)
        for line in lines { #expect(told().contains { $0.hasSuffix(line) }, "\(line)") }
        #expect(try known("pipe.xopp", stage)?.fault == "is a pipe")
        #expect(stage.stage.agent.markFolders.passedOver.keys.sorted() == [music + "/caf\\xe9.xopp"])

        mkfifo(stage.music.path("later.xopp"), 0o600)
        make("later\u{1}.xopp")
        for _ in 0..<2 {
            stage.music.rescan()
            await stage.quiet()
        }
        #expect(told().count == 5, "\(told())")

        for name in ["pipe.xopp", "later.xopp"] { unlink(stage.music.path(name)) }
        unlink(stage.music.path("caf\u{1}.xopp").utf8CString.map { $0 == 1 ? CChar(bitPattern: 0xe9) : $0 })
        stage.music.rescan()
        await stage.quiet()
        #expect(try known("pipe.xopp", stage) == nil)
        #expect(stage.stage.agent.markFolders.passedOver.keys.sorted() == [music + "/later\\xe9.xopp"])
        #expect(stage.rendered() == [])
    }
}
