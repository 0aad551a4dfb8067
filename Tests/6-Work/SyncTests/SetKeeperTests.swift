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

/// Plans from the musician's own folders, with real files and without an account.
@Suite(.onLoop) struct SetKeeperTests {
    /// A folder of sets, and what reads it.
    @LoopActor
    private final class Band {
        let folder = TemporaryFolder()
        let stage: Stage
        var music: String { folder.path("Sets") }

        init(hasAccount: Bool = false) throws {
            try Folder.create(folder.path("Sets"))
            stage = try Stage(
                hasAccount ? Stage.plans : [], in: folder, sets: SetSettings([folder.path("Sets")]), hasAccount: hasAccount)
        }

        func write(_ path: String, _ text: String) throws {
            let whole = music + "/" + path
            try Folder.create(Folder.parent(of: whole))
            try AtomicFile.write(text, to: whole)
        }

        /// A file that begins and ends like a JPEG.
        func jpeg(_ path: String, _ text: String) throws {
            try write(path, "")
            try Self.jpeg(text).withUnsafeBytes { try AtomicFile.write($0, to: music + "/" + path) }
        }

        static func jpeg(_ text: String) -> [UInt8] {
            var bytes: [UInt8] = [0xFF, 0xD8, 0xFF]
            bytes += Array(text.utf8)
            bytes += [0xFF, 0xD9]
            return bytes
        }

        func pdf(_ path: String, _ text: String? = nil) throws { try write(path, SmallService.pdf(text ?? path)) }

        func move(_ path: String, to other: String) throws {
            guard rename(music + "/" + path, music + "/" + other) == 0 else { throw SystemError("move", path: path) }
        }

        func remove(_ path: String) throws {
            guard unlink(music + "/" + path) == 0 || rmdir(music + "/" + path) == 0 else { throw SystemError("remove", path: path) }
        }

        /// Each plan with its items and their charts; an asterisk marks a chart that is not here.
        func shown() throws -> [String] {
            try stage.library.plans.all().map { plan in
                let items = try plan.items.map { item in
                    let charts = try item.attachments.map { chart in
                        let isHere =
                            try stage.library.charts.chart(of: chart.use).map { try stage.library.charts.hasBytes(of: $0.hash) } ?? false
                        return chart.filename + (isHere ? "" : "*")
                    }
                    return item.title + (charts.isEmpty ? "" : ": ") + charts.joined(separator: "+")
                }
                return "\(plan.plan.displayName) \(plan.plan.dates) [" + items.joined(separator: "; ") + "]"
            }
        }
    }

    @Test @LoopActor func foldersAndListsThatAreNamedAfterDatesArePlans() async throws {
        let band = try Band()
        try band.pdf("2026-11-22 1030 Sunday/01 Grace.pdf")
        try band.pdf("2026-11-22 1030 Sunday/02 Abide.pdf")
        try band.write("2026-11-29 Advent.txt", "Vision (D)\nUnknown\n")
        try band.pdf("Songbook/Vision.pdf")
        try band.pdf("2026-12-31 Too far/Late.pdf")
        let outcome = await band.stage.sync()
        #expect(outcome.setbacks == [])
        #expect(
            try band.shown() == [
                "Sunday 22 November 2026 [Grace: 01 Grace.pdf; Abide: 02 Abide.pdf]",
                "Advent 29 November 2026 [Vision: Vision.pdf; Unknown]",
            ])
        #expect(try band.stage.library.lastPoll != nil)
        #expect(band.stage.service.network.requests.isEmpty)
    }

    @Test @LoopActor func wordsAndChordsAreDrawnInTheKeyOfTheList() async throws {
        let band = try Band()
        try band.write("Songbook/Grace.cho", "{title: Grace}\n{key: G}\n[G]Amazing")
        try band.write("2026-11-22.txt", "Grace (A)")
        await band.stage.sync()
        #expect(try band.shown() == ["Set 22 November 2026 [Grace: Grace.cho]"])
        #expect(band.stage.songs.songs.map(\.sheet.view.key) == ["A"])
    }

    @Test @LoopActor func aPhotographBecomesAPDFThatStaysTheSame() async throws {
        let band = try Band()
        try band.jpeg("2026-11-22/Grace.jpg", "first")
        let outcome = await band.stage.sync()
        #expect(outcome.setbacks == [])
        #expect(try band.shown() == ["Set 22 November 2026 [Grace: Grace.jpg]"])
        let charts = band.stage.library.charts
        let attachment = try #require(try band.stage.library.plans.all().first?.attachments.first)
        #expect(attachment.id.bytes == SHA256.digest(of: try AtomicFile.read(band.music + "/2026-11-22/Grace.jpg", limit: 100)))
        let chart = try #require(try charts.chart(of: attachment.use)?.hash)
        #expect(try AtomicFile.read(charts.path(of: chart), limit: 1000).starts(with: Array("%PDF-".utf8)))
        // Neither another look nor another name makes it again.
        let count = band.stage.songs.pictures.count
        await band.stage.sync()
        try band.move("2026-11-22/Grace.jpg", to: "2026-11-22/Amazing.jpg")
        await band.stage.sync()
        #expect(try band.shown() == ["Set 22 November 2026 [Amazing: Amazing.jpg]"])
        #expect(band.stage.songs.pictures.count == count)
        // If its bytes are lost, the same bytes come back.
        #expect(unlink(charts.path(of: chart)) == 0)
        await band.stage.sync()
        #expect(try charts.chart(of: attachment.use)?.hash == chart && charts.hasBytes(of: chart))
    }

    @Test @LoopActor func aPictureThatCannotBeShownTakesNoPlace() async throws {
        let band = try Band()
        try band.jpeg("2026-11-22/Grace.jpg", "first")
        try band.write("2026-11-22/Holy.png", "<html>IEND")
        await band.stage.sync()
        band.stage.songs.refusal = { _ in .drawing("it is damaged") }
        try band.jpeg("2026-11-22/Grace.jpg", "second")
        try band.jpeg("2026-11-22/Vision.jpg", "third")
        await band.stage.sync()
        #expect(try band.shown() == ["Set 22 November 2026 [Grace: Grace.jpg; Holy; Vision]"])
        let plan = try #require(try band.stage.library.plans.all().first)
        #expect(plan.attachments.map(\.id.bytes) == [SHA256.digest(of: Band.jpeg("first"))])
        #expect(plan.leftOut.map(\.filename) == ["Holy.png", "Vision.jpg"])
        #expect(plan.leftOut.last?.reason == .noChart(because: "the page cannot be drawn (it is damaged)"))
    }

    @Test @LoopActor func unchangedFilesAreReadOnce() async throws {
        let band = try Band()
        try band.pdf("2026-11-22/Grace.pdf")
        await band.stage.sync()
        let described = band.stage.renderer.described.count
        let changes = band.stage.library.database.totalChanges
        await band.stage.sync(PollScope(isRequested: false))
        #expect(band.stage.renderer.described.count == described)
        #expect(band.stage.library.database.totalChanges == changes, "a look that finds nothing writes nothing")
    }

    @Test @LoopActor func aSetThatIsRenamedStaysThePlanThatItWas() async throws {
        let band = try Band()
        try band.pdf("2026-11-22 Sunday/Grace.pdf")
        await band.stage.sync()
        let plan = try #require(try band.stage.library.plans.all().first?.plan.id)
        try band.stage.library.plans.pin(plan)
        try band.move("2026-11-22 Sunday", to: "2026-11-29 Advent")
        await band.stage.sync()
        #expect(try band.shown() == ["Advent 29 November 2026 [Grace: Grace.pdf]"])
        #expect(try band.stage.library.plans.pinned() == [plan])
        // A program that syncs folders makes a new folder and removes the old one.
        try band.pdf("2026-12-06 Advent/Grace.pdf", "2026-11-22 Sunday/Grace.pdf")
        try band.remove("2026-11-29 Advent/Grace.pdf")
        try band.remove("2026-11-29 Advent")
        await band.stage.sync()
        #expect(try band.shown() == ["Advent 6 December 2026 [Grace: Grace.pdf]"])
        #expect(try band.stage.library.plans.pinned() == [plan])
    }

    @Test @LoopActor func aFolderThatIsAwayChangesNothing() async throws {
        let band = try Band()
        try band.pdf("2026-11-22/Grace.pdf")
        await band.stage.sync()
        let before = try band.shown()
        guard rename(band.music, band.folder.path("elsewhere")) == 0 else { throw SystemError("move") }
        let outcome = await band.stage.sync()
        #expect(outcome.setbacks.map(\.subject) == [band.music])
        #expect(try band.shown() == before)
        #expect(try band.stage.library.plans.gone().isEmpty)
    }

    @Test @LoopActor func setsThatAreGoneAllAtOnceAreDoubted() async throws {
        let band = try Band()
        for day in ["22", "23", "24", "25"] { try band.pdf("2026-11-\(day)/Grace \(day).pdf") }
        await band.stage.sync()
        for day in ["22", "23", "24", "25"] {
            try band.remove("2026-11-\(day)/Grace \(day).pdf")
            try band.remove("2026-11-\(day)")
        }
        await band.stage.sync()
        #expect(try band.stage.library.plans.gone().isEmpty, "an empty folder may be a disk that is not mounted")
        await band.stage.wait(for: .seconds(3601))
        await band.stage.sync()
        #expect(try band.stage.library.plans.gone().count == 4)
    }

    @Test @LoopActor func aFileThatIsStillBeingWrittenTakesNoPlace() async throws {
        let band = try Band()
        try band.pdf("2026-11-22/Grace.pdf", "first")
        await band.stage.sync()
        let former = try #require(try band.stage.library.plans.all().first?.attachments.first)
        // The date is that of the simulated clock, so that the file was written just now.
        let path = band.music + "/2026-11-22/Grace.pdf"
        try AtomicFile.write("%PDF-1.7 half", to: path)
        var times = [timespec](repeating: timespec(tv_sec: Int(band.stage.clock.wallTime.components.seconds), tv_nsec: 0), count: 2)
        #expect(utimensat(AT_FDCWD, path, &times, 0) == 0)
        await band.stage.clock.run { await band.stage.polls.sets?.lookNow() }
        #expect(try band.stage.library.plans.all().first?.attachments == [former])
        #expect(band.stage.polls.sets?.isQuiet == false, "it is read again soon")
        try band.pdf("2026-11-22/Grace.pdf", "second")
        await band.stage.wait(for: .seconds(1))
        #expect(
            try band.stage.library.plans.all().first?.attachments.first?.id
                == AttachmentID(ofBytes: SHA256.digest(of: SmallService.pdf("second"))))
    }

    @Test @LoopActor func aNewVersionThatCannotBeOpenedIsNotUsed() async throws {
        let band = try Band()
        try band.pdf("2026-11-22/Grace.pdf", "first")
        try band.pdf("2026-11-22/Abide.pdf", "bad")
        band.stage.renderer.describe = { path in
            (try? AtomicFile.read(path, limit: 100)).map { String(decoding: $0, as: UTF8.self).contains("bad") } ?? false
                ? .failure(.cannotOpen("no pages")) : .success(ChartDescription(pages: [PageGeometry(width: 612, height: 792)]))
        }
        await band.stage.sync()
        #expect(try band.shown() == ["Set 22 November 2026 [Abide; Grace: Grace.pdf]"])
        #expect(try band.stage.library.plans.all().first?.leftOut.map(\.filename) == ["Abide.pdf"])
        try band.pdf("2026-11-22/Grace.pdf", "bad, too")
        let outcome = await band.stage.sync()
        #expect(try band.shown() == ["Set 22 November 2026 [Abide; Grace: Grace.pdf]"])
        #expect(outcome.setbacks.map(\.subject) == ["Abide.pdf", "Grace.pdf"])
    }

    @Test @LoopActor func plansOfTheServiceAndOfFoldersLiveBesideEachOther() async throws {
        let band = try Band(hasAccount: true)
        try band.pdf("2026-11-25/Grace.pdf")
        try band.write("2026-11-26.txt", "Song 1")
        let outcome = await band.stage.sync()
        #expect(outcome.setbacks == [])
        #expect(
            try band.stage.library.plans.all().map(\.plan.id.text) == ["1", "set/2026-11-25", "set/2026-11-26.txt", "2"])
        #expect(try band.stage.library.plans.plan(PlanID("set/2026-11-26.txt"))?.attachments.map(\.id.text) == ["1a"])
        band.stage.service.plans = [Stage.plans[1]]
        try band.remove("2026-11-26.txt")
        await band.stage.sync()
        #expect(Set(try band.stage.library.plans.gone().keys.map(\.text)) == ["1", "set/2026-11-26.txt"])
    }
}
