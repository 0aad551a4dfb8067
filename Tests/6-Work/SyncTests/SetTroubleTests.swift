import Catalogue
import Glibc
import Library
import Model
import Platform
import Rendering
import Sets
import TestSupport
import Testing

@testable import Sync

extension DiskNumber {
    fileprivate init(_ status: stat) { self.init(device: UInt64(status.st_dev), inode: UInt64(status.st_ino)) }
}

/// What people, programs and disks do to folders of sets besides putting charts in them.
@Suite(.onLoop) struct SetTroubleTests {
    private typealias Band = SetKeeperTests.Band

    /// The id of a chart that a test wrote as a PDF with this text.
    private func chart(_ text: String) -> AttachmentID { AttachmentID(ofBytes: SHA256.digest(of: SmallService.pdf(text))) }

    /// Moves everything that is in the folder of sets to another place, or back: the empty folder stays, as where a disk was mounted.
    @LoopActor private func swap(_ band: Band) throws {
        let (music, away, spare) = (band.music, band.folder.path("away"), band.folder.path("spare"))
        try Folder.create(away)
        for (from, to) in [(music, spare), (away, music), (spare, away)] {
            guard rename(from, to) == 0 else { throw SystemError("move", path: from) }
        }
    }

    // MARK: - Names and bytes

    @Test @LoopActor func twoPlansOnOneDayAreTwo() async throws {
        let band = try Band()
        try band.pdf("2026-11-22 0900 Early/Grace.pdf")
        try band.pdf("2026-11-22 1100 Late/Grace.pdf")
        try band.write("2026-11-22.txt", "Vision")
        try band.pdf("Book/Vision.pdf")
        await band.stage.sync()
        #expect(
            try band.shown() == [
                "Set 22 November 2026 [Vision: Vision.pdf]", "Early 22 November 2026 [Grace: Grace.pdf]",
                "Late 22 November 2026 [Grace: Grace.pdf]",
            ])
    }

    @Test(arguments: [true, false]) @LoopActor func theSameBytesUnderTwoNamesAreOneChartInTwoPlaces(isLink: Bool) async throws {
        let band = try Band()
        try band.pdf("2026-11-22/A.pdf", "same")
        if isLink {
            guard link(band.music + "/2026-11-22/A.pdf", band.music + "/2026-11-22/B.pdf") == 0 else { throw SystemError("link") }
        } else {
            try band.pdf("2026-11-22/B.pdf", "same")
        }
        await band.stage.sync()
        let plan = try #require(try band.stage.library.plans.all().first)
        #expect(plan.items.map(\.title) == ["A", "B"])
        #expect(plan.items.flatMap(\.attachments).map(\.id) == [chart("same"), chart("same")])
        let changes = band.stage.library.database.totalChanges
        await band.stage.clock.run { await band.stage.polls.sets?.lookNow() }
        #expect(band.stage.library.database.totalChanges == changes, "whose name it has is not decided anew")
        try band.remove("2026-11-22/A.pdf")
        await band.stage.sync()
        #expect(try band.shown() == ["Set 22 November 2026 [B: B.pdf]"])
    }

    // MARK: - Marks

    /// Stores a file with a mark for a chart.
    @LoopActor private func mark(_ chart: AttachmentID, in band: Band) throws {
        let mark = Mark(id: "m", page: PageIndex(0), kind: .pen, points: [Mark.Point(x: 0.1, y: 0.2)])
        try band.stage.library.markFiles.store([
            LocalFile(
                path: "/m/grace.marks.json", stamp: FileStamp(device: 1, inode: 2, size: 3, modified: 4),
                firstSeen: band.stage.clock.timestamp, attachment: chart, content: MarkFile(marks: [mark]))
        ])
    }

    @Test @LoopActor func aChartThatMovesToAnotherSetKeepsItsMarks() async throws {
        let band = try Band()
        for name in ["Grace", "Abide", "Joy"] { try band.pdf("2026-11-22/\(name).pdf", name) }
        try band.pdf("2026-11-29/Vision.pdf")
        await band.stage.sync()
        try mark(chart("Grace"), in: band)
        try band.move("2026-11-22/Grace.pdf", to: "2026-11-29/1 Grace (slow).pdf")
        await band.stage.sync()
        #expect(
            try band.shown() == [
                "Set 22 November 2026 [Abide: Abide.pdf; Joy: Joy.pdf]",
                "Set 29 November 2026 [Grace (slow): 1 Grace (slow).pdf; Vision: Vision.pdf]",
            ])
        let match = MarkFileMatch(chart("Grace"))
        #expect(try band.stage.library.matches.present(match, at: band.stage.clock.timestamp) == match)
        #expect(try band.stage.library.markFiles.localLayers(of: chart("Grace")).flatMap(\.marks).count == 1)
    }

    /// Marks that were made on other bytes are drawn on the new ones, and it is said that they may not fit.
    @Test @LoopActor func aChartThatIsReplacedPassesItsMarksOn() async throws {
        let band = try Band()
        try band.pdf("2026-11-22/Grace.pdf", "first")
        try band.pdf("2026-11-22/Abide.pdf")
        await band.stage.sync()
        try mark(chart("first"), in: band)
        // Of a chart that no plan shows any more, its link says which song it was.
        try band.stage.library.database.run(
            "INSERT INTO links (path, attachment_id, target, stands) VALUES ('/m/2026-11-22/01 Grace.pdf', ?, '', 0)",
            [.text(chart("first").text)])
        let layer = Layer(
            id: LayerID("l"), attachment: chart("first"), revision: 1,
            marks: [Mark(id: "n", page: PageIndex(0), kind: .pen, points: [Mark.Point(x: 0.1, y: 0.2)])])
        try band.stage.library.layers.update(layers: [layer], of: PlanID.ofSet("2026-11-22"), at: band.stage.clock.timestamp)
        try band.pdf("2026-11-22/Grace.pdf", "second")
        await band.stage.sync()
        #expect(try band.shown() == ["Set 22 November 2026 [Abide: Abide.pdf; Grace: Grace.pdf]"])
        let former = try #require(chart("first").bytes)
        #expect(
            try band.stage.library.matches.present(MarkFileMatch(chart("first")), at: band.stage.clock.timestamp)
                == MarkFileMatch(chart("second"), markedOn: ChartHash(former)))
        #expect(try band.stage.library.layers.all(of: chart("second")).map(\.id) == [LayerID("l")])
    }

    // MARK: - Time

    /// Each zone has its own process, since a process has only one time zone.
    @Test(arguments: ["2027-03-28 0230 Night", "2026-10-25 0230 Night"]) func aSetInTheNightOfTheChangeIsOnItsDay(name: String) async {
        await #expect(processExitsWith: .success) { [name = name as String] in
            setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1)
            guard case .set(let read) = SetName.read(name) else { exit(2) }
            let moment = LocalTime.nanoseconds(ofWallTime: read.wallTime)
            let hour = LocalTime.secondOfDay(nanosecondsSinceEpoch: moment) / 3600
            let isOnDay = LocalTime.date(nanosecondsSinceEpoch: moment) == String(name.prefix(10))
            let end = LocalTime.nanoseconds(ofWallTime: read.endOfDay)
            exit(isOnDay && (1...3).contains(hour) && LocalTime.clock(nanosecondsSinceEpoch: end) == "23:59" ? 0 : 1)
        }
    }

    @Test @LoopActor func midnightTakesNothingAway() async throws {
        let band = try Band()
        try band.pdf("2026-11-22 0000 Vigil/Grace.pdf")
        try band.pdf("2026-11-22/Abide.pdf")
        try band.pdf("2026-11-22 2359 Night/Vision.pdf")
        await band.stage.sync()
        let before = try band.shown()
        let day = try #require(try band.stage.library.plans.all().first?.plan)
        let midnight = try #require(day.firstTime)
        #expect(before.count == 3 && LocalTime.minute(nanosecondsSinceEpoch: midnight.nanoseconds).contains(" 00:00 "))
        await band.stage.wait(for: midnight - band.stage.clock.timestamp + .seconds(1))
        #expect(await band.stage.sync().setbacks == [])
        #expect(try band.shown() == before)
        await band.stage.wait(for: .seconds(86_300))
        await band.stage.sync()
        #expect(try band.shown() == before)
        #expect(!day.isPast(at: band.stage.clock.timestamp), "it is of this day until the day is over")
        #expect(try band.stage.library.plans.gone().isEmpty)
    }

    @Test(arguments: [-30, 10]) @LoopActor func aClockThatIsYearsOffTakesNothingAway(years: Int) async throws {
        let band = try Band()
        for day in [22, 23, 24] { try band.pdf("2026-11-\(day)/Grace \(day).pdf") }
        await band.stage.sync()
        let before = try band.shown()
        band.stage.clock.wallTimeAtStart += .seconds(31_557_600 * years)
        #expect(await band.stage.sync().setbacks == [])
        #expect(try band.shown() == before)
        try band.pdf("2026-11-25/Vision.pdf")
        await band.stage.sync()
        #expect(try Array(band.shown().prefix(3)) == before)
        band.stage.clock.wallTimeAtStart -= .seconds(31_557_600 * years)
        #expect(await band.stage.sync().setbacks == [])
        #expect(try band.shown() == before + ["Set 25 November 2026 [Vision: Vision.pdf]"])
        #expect(try band.stage.library.plans.gone().isEmpty)
        #expect(try band.stage.library.plans.heldBack().isEmpty)
    }

    // MARK: - Disks

    @Test @LoopActor func aChartThatCannotBeStoredIsMissedAndTriedAgain() async throws {
        let band = try Band()
        try band.pdf("2026-11-22/Grace.pdf")
        // Nothing can be made in a file: as on a full disk, but for every user of the machine.
        let charts = band.folder.path("data/charts")
        try Folder.create(charts)
        guard rename(charts, charts + " away") == 0 else { throw SystemError("move") }
        try AtomicFile.write("", to: charts)
        #expect(await band.stage.sync().setbacks.map(\.subject) == ["Grace.pdf"])
        #expect(try band.shown() == ["Set 22 November 2026 [Grace: Grace.pdf*]"])
        #expect(try band.stage.library.charts.downloadFaults().count == 1)
        #expect(try band.stage.library.lastPoll == nil, "not everything is here")
        // Neither does a picture end the look, though a page cannot be made of it.
        try band.jpeg("2026-11-22/Abide.jpg", "first")
        let setbacks = await band.stage.sync().setbacks.map(\.description)
        #expect(["Grace.pdf", "Abide.jpg"].allSatisfy { name in setbacks.contains { $0.contains(name) } }, "\(setbacks)")
        #expect(try band.shown() == ["Set 22 November 2026 [Abide: Abide.jpg*; Grace: Grace.pdf*]"])
        guard unlink(charts) == 0, rename(charts + " away", charts) == 0 else { throw SystemError("move") }
        #expect(await band.stage.sync().setbacks == [])
        #expect(try band.shown() == ["Set 22 November 2026 [Abide: Abide.jpg; Grace: Grace.pdf]"])
        #expect(try band.stage.library.charts.downloadFaults().isEmpty)
    }

    /// Whoever opens a file on a disk that does not answer waits for it.
    @Test @LoopActor func whatIsOpenedLiesInTheLibrary() async throws {
        let band = try Band()
        try band.pdf("2026-11-22/Grace.pdf")
        try band.jpeg("2026-11-22/Abide.jpg", "first")
        await band.stage.sync()
        let opened = band.stage.renderer.described + band.stage.songs.pictures.map(\.picture)
        #expect(opened.count >= 2 && opened.allSatisfy { $0.hasPrefix(band.folder.path("data") + "/") })
    }

    @Test @LoopActor func aFolderThatDoesNotAnswerChangesNothing() async throws {
        let band = try Band()
        try band.pdf("2026-11-22/Grace.pdf")
        await band.stage.sync()
        let before = try band.shown()
        try await band.restart(side: SideThread())
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        let (out, into) = (ends[0], ends[1])
        defer { close(into) }
        // Reads until the test closes the other end.
        band.stage.polls.sets?.side.begin {
            var byte: UInt8 = 0
            _ = read(out, &byte, 1)
            close(out)
        }
        try band.pdf("2026-11-22/Grace.pdf", "other")
        let outcome = await band.stage.sync()
        #expect(outcome.setbacks.map(\.subject) == ["sets"])
        #expect(try band.shown() == before)
        #expect(try band.stage.library.plans.all().first?.attachments.map(\.id) == [chart("2026-11-22/Grace.pdf")])
        #expect(try band.stage.library.plans.gone().isEmpty)
    }

    @Test @LoopActor func whatIsAwayTakesNoChartsFromListsElsewhere() async throws {
        let band = try Band(and: "Stick")
        try band.write("2026-11-22.txt", "Grace\nAbide\nVision")
        for name in ["Grace", "Abide"] { try band.pdf("Book/\(name).pdf") }
        try band.pdf("2026-11-29/Joy.pdf", "one")
        try band.pdf("../Stick/Vision.pdf")
        await band.stage.sync()
        let before = try band.shown()
        #expect(before.first == "Set 22 November 2026 [Grace: Grace.pdf; Abide: Abide.pdf; Vision: Vision.pdf]")
        guard rename(band.folder.path("Stick"), band.folder.path("pulled")) == 0 else { throw SystemError("move") }
        try band.pdf("2026-11-29/Joy.pdf", "two")
        await band.stage.sync()
        #expect(try band.shown() == before)
        #expect(try band.stage.library.plans.all().last?.attachments.map(\.id) == [chart("two")], "what is here is followed")
    }

    /// The folder stays, as where a disk was mounted.
    @Test @LoopActor func aSongbookThatIsSuddenlyEmptyTakesNoChartsFromLists() async throws {
        let band = try Band()
        try band.write("2026-11-22.txt", "Grace\nAbide\nVision (D)")
        for name in ["Grace", "Abide"] { try band.pdf("Book/\(name).pdf") }
        try band.write("Stick/Hymns/Vision.cho", "[G]Vision")
        await band.stage.sync()
        let before = try band.shown()
        #expect(before == ["Set 22 November 2026 [Grace: Grace.pdf; Abide: Abide.pdf; Vision: Vision.cho]"])
        try band.remove("Stick/Hymns/Vision.cho")
        try band.remove("Stick/Hymns")
        for _ in 0..<2 {
            #expect(await band.stage.sync().setbacks.map(\.subject) == [band.music + "/Stick"])
            #expect(try band.shown() == before)
            #expect(try band.stage.library.plans.all().first?.leftOut == [])
            await band.stage.wait(for: .seconds(7200))
        }
        // The list itself is followed.
        try band.write("2026-11-22.txt", "Vision\nGrace\nAbide\nPsalm")
        await band.stage.sync()
        #expect(
            try band.shown() == ["Set 22 November 2026 [Vision: Vision.cho; Grace: Grace.pdf; Abide: Abide.pdf; Psalm]"])
        // A folder that is not there any more was removed.
        try band.remove("Stick")
        #expect(await band.stage.sync().setbacks == [])
        #expect(try band.shown() == ["Set 22 November 2026 [Vision; Grace: Grace.pdf; Abide: Abide.pdf; Psalm]"])
    }

    /// Each disk numbers its folders by itself.
    @Test @LoopActor func aSetThatIsAwayIsNotTheOneElsewhereWithItsNumber() async throws {
        let band = try Band(and: "Stick")
        let stick = band.folder.path("Stick")
        try band.pdf("../Stick/2026-11-22 Away/Grace.pdf", "same")
        await band.stage.sync()
        guard rename(stick, band.folder.path("pulled")) == 0 else { throw SystemError("move") }
        try band.pdf("2026-11-29 Here/Grace.pdf", "same")
        try band.pdf("2026-11-29 Here/Vision.pdf")
        var status = stat()
        try #require(stat(band.music + "/2026-11-29 Here", &status) == 0)
        let away = PlanID.ofSet("2026-11-22 Away")
        try band.stage.library.sets.note(
            [stick + "/2026-11-22 Away": .init(plan: away, number: DiskNumber(status))], files: try band.stage.library.sets.files())
        await band.stage.sync()
        #expect(
            try band.shown() == [
                "Away 22 November 2026 [Grace: Grace.pdf]", "Here 29 November 2026 [Grace: Grace.pdf; Vision: Vision.pdf]",
            ])
    }

    @Test @LoopActor func wordsOfOtherBytesAreNotKeptAsThoseThatWereRead() async throws {
        let band = try Band()
        try band.write("2026-11-22/Grace.cho", "[G]Amazing")
        let path = band.music + "/2026-11-22/Grace.cho"
        var status = stat()
        try #require(stat(path, &status) == 0)
        // As if the file had been read just before somebody wrote other words to it.
        let file = SetStore.File(stamp: FileStamp(status), digest: SHA256.digest(of: "[D]Vision"))
        try band.stage.library.sets.note([:], files: [path: file])
        #expect(await band.stage.sync().setbacks.map(\.subject) == ["Grace.cho"])
        #expect(band.stage.songs.songs.isEmpty)
    }

    @Test @LoopActor func afterTheEndNothingIsReadOrStored() async throws {
        let band = try Band()
        try band.pdf("2026-11-22/Grace.pdf")
        let keeper = try #require(band.stage.polls.sets)
        keeper.end()
        await band.stage.clock.run { await keeper.lookNow() }
        #expect(try band.shown().isEmpty)
    }

    /// A look would find the library closed, and the next agent looks, too.
    @Test @LoopActor func theEndWaitsForALookThatRuns() async throws {
        let band = try Band()
        try band.pdf("2026-11-22/Grace.pdf")
        band.stage.renderer.describing = .seconds(5)
        let keeper = try #require(band.stage.polls.sets)
        await band.stage.play { [band] in
            keeper.requestLook()
            try? await band.stage.clock.sleep(for: .seconds(1))
            await band.stage.polls.end()
        }
        #expect(band.stage.renderer.described.count == 1 && !keeper.isLooking)
        #expect(try band.shown().isEmpty, "what was read only in part is not stored")
    }

    @Test @LoopActor func setsThatVanishTwiceStayTwice() async throws {
        let band = try Band()
        for day in [22, 23, 24] { try band.pdf("2026-11-\(day)/Grace \(day).pdf") }
        await band.stage.sync()
        for _ in 0..<2 {
            try swap(band)
            #expect(await band.stage.sync().setbacks.map(\.subject) == ["sets"])
            #expect(try band.stage.library.plans.gone().isEmpty)
            try swap(band)
            #expect(await band.stage.sync().setbacks == [])
            await band.stage.wait(for: .seconds(7200))
        }
    }

    /// A stick may be pulled, or an editor killed, while half of it is there.
    @Test(arguments: [true, false]) @LoopActor func aSetThatIsSuddenlyHalfOfItselfStaysForAnHour(isList: Bool) async throws {
        let band = try Band()
        let names = ["Abide", "Grace", "Joy", "Vision"]
        for name in names { try band.pdf((isList ? "Book" : "2026-11-22") + "/\(name).pdf") }
        if isList { try band.write("2026-11-22.txt", names.joined(separator: "\n")) }
        await band.stage.sync()
        let before = try band.shown()
        #expect(before.first?.contains("Vision.pdf") == true)
        if isList {
            try band.write("2026-11-22.txt", names[0])
        } else {
            for name in names[..<2] { try band.remove("2026-11-22/\(name).pdf") }
        }
        await band.stage.sync()
        #expect(try band.shown() == before)
        #expect(try band.stage.library.plans.heldBack().map(\.reason) == [.chartsLost(isList ? 3 : 2, of: 4)])
        await band.stage.wait(for: .seconds(3601))
        await band.stage.sync()
        #expect(try band.shown().first?.contains(names[3]) == !isList)
        #expect(try band.stage.library.plans.heldBack().isEmpty)
    }

    @Test @LoopActor func aRenamedSetIsStillItselfAfterItWasDoubted() async throws {
        let band = try Band()
        try band.pdf("2026-11-22 Sunday/Grace.pdf")
        await band.stage.sync()
        let plan = PlanID.ofSet("2026-11-22 Sunday")
        try band.stage.library.plans.pin(plan)
        try band.move("2026-11-22 Sunday", to: "2026-11-29 Advent")
        await band.stage.sync()
        try swap(band)
        await band.stage.sync()
        try swap(band)
        // A disk that is mounted again may have other numbers.
        try band.pdf("2026-11-29 Advent/Vision.pdf")
        await band.stage.sync()
        #expect(try band.stage.library.plans.all().map(\.plan.id) == [plan])
        #expect(try band.shown() == ["Advent 29 November 2026 [Grace: Grace.pdf; Vision: Vision.pdf]"])
    }

    @Test @LoopActor func aSetThatCannotBeReadStays() async throws {
        let band = try Band()
        for day in [22, 23] { try band.pdf("2026-11-\(day)/Grace \(day).pdf") }
        try band.write("2026-11-24.txt", "Grace 22\nGrace 23")
        await band.stage.sync()
        let before = try band.shown()
        // Longer than any list.
        try band.write("2026-11-24.txt", String(repeating: "x", count: 1 << 19))
        await band.stage.sync()
        #expect(band.stage.polls.sets?.others.map(\.path) == [band.music + "/2026-11-24.txt"])
        #expect(try band.shown() == before)
        #expect(try band.stage.library.plans.gone().isEmpty)
        try band.write("2026-11-24.txt", "Grace 23\nGrace 22\nPsalm")
        await band.stage.sync()
        #expect(try band.shown().last == "Set 24 November 2026 [Grace 23: Grace 23.pdf; Grace 22: Grace 22.pdf; Psalm]")
    }

    @Test(.enabled(if: geteuid() != 0, "root may read everything")) @LoopActor func aSetWithAFolderThatCannotBeReadStays() async throws {
        let band = try Band()
        for name in ["Abide", "Vision"] { try band.pdf("2026-11-22/\(name).pdf") }
        try band.pdf("2026-11-22/Grace/Flute.pdf")
        await band.stage.sync()
        let before = try band.shown()
        let inner = band.music + "/2026-11-22/Grace"
        try #require(chmod(inner, 0) == 0)
        defer { chmod(inner, 0o700) }
        await band.stage.sync()
        #expect(try band.shown() == before, "without that song, nobody would miss it")
        #expect(try band.stage.library.plans.gone().isEmpty)
    }

    /// Some disks give the number of a folder that was removed to the next one that is made.
    @Test @LoopActor func aNewSetWithTheNumberOfARemovedOneIsNew() async throws {
        let band = try Band()
        try band.pdf("2026-11-22 Old/Old.pdf")
        for day in [24, 25] { try band.pdf("2026-11-\(day)/Grace \(day).pdf") }
        await band.stage.sync()
        try band.remove("2026-11-22 Old/Old.pdf")
        try band.remove("2026-11-22 Old")
        try band.pdf("2026-11-29 New/New.pdf")
        var status = stat()
        try #require(stat(band.music + "/2026-11-29 New", &status) == 0)
        var known = try band.stage.library.sets.known()
        let old = PlanID.ofSet("2026-11-22 Old")
        known[band.music + "/2026-11-22 Old"] = .init(plan: old, number: DiskNumber(status))
        try band.stage.library.sets.note(known, files: try band.stage.library.sets.files())
        await band.stage.sync()
        #expect(try band.shown().last == "New 29 November 2026 [New: New.pdf]")
        #expect(try band.shown().first == "Old 22 November 2026 [Old: Old.pdf]")
        #expect(try Set(band.stage.library.plans.gone().keys) == [old])
        #expect(try band.stage.library.plans.heldBack().isEmpty)
    }

    // MARK: - Programs

    /// Many editors move the old file aside, and write a new one in its place.
    @Test @LoopActor func aListStaysItselfWhateverItsEditorDoes() async throws {
        let band = try Band()
        for name in ["Grace", "Vision"] { try band.pdf("Book/\(name).pdf") }
        try band.write("2026-11-22.txt", "Grace")
        await band.stage.sync()
        let plan = PlanID.ofSet("2026-11-22.txt")
        try band.stage.library.plans.pin(plan)
        try band.move("2026-11-22.txt", to: "2026-11-22.txt~")
        try band.write(".2026-11-22.txt.swp", "b0VIM")
        try band.write("2026-11-22.txt", "Grace\nVision")
        await band.stage.sync()
        #expect(try band.shown() == ["Set 22 November 2026 [Grace: Grace.pdf; Vision: Vision.pdf]"])
        #expect(try band.stage.library.plans.all().map(\.plan.id) == [plan])
        #expect(band.stage.polls.sets?.others.isEmpty == true)
    }

    /// Some programs write PDFs that do not say that they are whole.
    @Test @LoopActor func aNewVersionWithoutAnEndIsUsedOnceNobodyWritesToIt() async throws {
        let band = try Band()
        try band.pdf("2026-11-22/Grace.pdf", "first")
        await band.stage.sync()
        let path = band.music + "/2026-11-22/Grace.pdf"
        let text = "%PDF-1.7 without an end"
        try AtomicFile.write(text, to: path)
        let time = timespec(tv_sec: Int(band.stage.clock.wallTime.components.seconds), tv_nsec: 0)
        #expect(utimensat(AT_FDCWD, path, [time, time], 0) == 0)
        #expect(await band.stage.sync().setbacks.map(\.subject) == ["Grace.pdf"])
        #expect(try band.stage.library.plans.all().first?.attachments.map(\.id) == [chart("first")])
        await band.stage.wait(for: .seconds(12))
        #expect(try band.stage.library.plans.all().first?.attachments.map(\.id) == [AttachmentID(ofBytes: SHA256.digest(of: text))])
        #expect(await band.stage.sync().setbacks == [])
    }
}
