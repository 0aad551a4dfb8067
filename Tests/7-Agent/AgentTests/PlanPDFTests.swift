import Agent
import Glibc
import Library
import Model
import PageCache
import Platform
import Rendering
import TestSupport
import Testing

/// Each coming plan is kept as a PDF in a folder that the musician chose; other files in that folder stay.
@Suite(.onLoop)
struct PlanPDFTests {
    private static let sunday = "2026-11-22 Sunday.pdf"
    private let home = TemporaryFolder()
    private let folder = TemporaryFolder()

    @LoopActor private func stage(_ plans: [SmallService.Plan] = [.sunday], in place: String? = nil) throws -> Stage {
        var settings = AgentSettings()
        settings.pdfFolder = place ?? folder.path
        return try Stage(plans, in: home, settings: settings)
    }

    private func names() throws -> [String] { try Folder.names(in: folder.path) }

    private func text(_ name: String = sunday) throws -> String {
        String(decoding: try AtomicFile.read(folder.path(name), limit: 1 << 20), as: UTF8.self)
    }

    private func stamp(_ name: String = sunday) -> FileStamp {
        var status = stat()
        stat(folder.path(name), &status)
        return FileStamp(status)
    }

    /// Syncs after the time in which a replaced file is left alone.
    @LoopActor private func syncLater(_ stage: Stage) async {
        await stage.wait(for: .seconds(301))
        await stage.sync()
    }

    // MARK: - Files that are written

    @Test @LoopActor func aComingPlanIsThereWithItsChartsInOrderAndItsBookmarks() async throws {
        let stage = try stage()
        stage.service.layers = ["1": [SmallService.layer("l", on: "b", pages: [1])]]
        await stage.sync()
        #expect(try names() == [Self.sunday])
        let lines = try text().split(separator: "\n").map(String.init)
        #expect(lines[0] == "2026-11-22 Sunday" && lines.suffix(2) == ["0 Song a", "0 Song b"])
        let (a, b) = (SmallService.Plan.sunday.charts[0].hash, SmallService.Plan.sunday.charts[1].hash)
        #expect(lines[1] == "\(a.digest.hex).pdf with []" && lines[2].hasPrefix("\(b.digest.hex).pdf with [") && lines[2].contains("pen"))
        #expect(stage.logged.contains { $0.contains(Self.sunday) && $0.contains("up to date") })
    }

    @Test @LoopActor func itComesAfterTheImagesAndWhileNoPollRuns() async throws {
        let stage = try stage()
        var images = 0
        stage.pdfs.failure = { _ in
            images = stage.cache.present().count
            return nil
        }
        await stage.sync()
        #expect(images == 8, "two sizes of two pages of two charts")
    }

    @Test @LoopActor func nothingIsWrittenWhileNothingChanges() async throws {
        let stage = try stage()
        await stage.sync()
        let (before, parts) = (stamp(), stage.pdfs.parts.count)
        let record = try AtomicFile.read(home.path("data/exports.json"), limit: 1 << 20)
        await syncLater(stage)
        await stage.agent.stop()
        let next = try self.stage()
        await next.sync()
        #expect(stamp() == before && next.pdfs.parts.isEmpty && stage.pdfs.parts.count == parts)
        #expect(try AtomicFile.read(home.path("data/exports.json"), limit: 1 << 20) == record)
    }

    @Test @LoopActor func whatItShowsIsFollowedButNotEachStrokeAtOnce() async throws {
        let stage = try stage()
        await stage.sync()
        let first = try text()
        stage.service.layers = ["1": [SmallService.layer("l", on: "a", pages: [0])]]
        await stage.sync()
        let marked = try text()
        #expect(marked != first && marked.contains("pen"))
        stage.service.layers = ["1": [SmallService.layer("l", on: "a", pages: [0, 1], revision: 2)]]
        await stage.sync()
        #expect(try text() == marked, "a tablet is spared what may change again")
        await stage.wait(for: .seconds(301))
        await stage.settleAsTold()
        #expect(try text() != marked)
        stage.service.plans[0].charts.swapAt(0, 1)
        await syncLater(stage)
        #expect(try text().hasSuffix("0 Song b\n0 Song a\n"))
    }

    @Test @LoopActor func aPlanWithAnotherDayHasAnotherFileAndTheFormerOneGoes() async throws {
        let stage = try stage()
        await stage.sync()
        stage.service.plans[0].startsAt = "2026-11-23T10:00:00Z"
        await syncLater(stage)
        #expect(try names() == ["2026-11-23 Sunday.pdf"])
    }

    // MARK: - Files that go, and files that stay

    @Test @LoopActor func aPastPlansFileGoesAndIsTold() async throws {
        let stage = try stage()
        stage.service.saysTime = true
        await stage.sync()
        stage.clock.wallTimeAtStart += .seconds(3 * 86_400)
        await stage.sync()
        #expect(try names() == [])
        #expect(stage.logged.contains { $0.contains("removed: its plan is over") })
    }

    /// A wrong clock must not make the file disappear from the tablet before the service.
    @Test @LoopActor func aClockThatNobodyConfirmsRemovesNothing() async throws {
        let stage = try stage()
        await stage.sync()
        stage.clock.wallTimeAtStart += .seconds(3 * 86_400)
        await stage.sync()
        #expect(try names() == [Self.sunday])
    }

    /// The service's last answers agreed with our clock, but that was before somebody set the clock.
    @Test @LoopActor func aClockThatWasSetSinceItWasConfirmedRemovesNothing() async throws {
        let stage = try stage()
        stage.service.saysTime = true
        await stage.sync()
        stage.clock.wallTimeAtStart += .seconds(3 * 86_400)
        await stage.settle()
        #expect(try names() == [Self.sunday])
        await stage.sync()
        #expect(try names() == [])
    }

    @Test @LoopActor func aFileThatSomebodyChangedStays() async throws {
        let stage = try stage()
        await stage.sync()
        // Some programs keep a file's length and time when they change it.
        let times = stamp()
        let changed = String(try text().reversed())
        try AtomicFile.write(changed, to: folder.path(Self.sunday))
        var when = [timespec(), timespec(tv_sec: Int(times.modified / 1_000_000_000), tv_nsec: Int(times.modified % 1_000_000_000))]
        when[0] = when[1]
        utimensat(AT_FDCWD, folder.path(Self.sunday), when, 0)
        stage.service.layers = ["1": [SmallService.layer("l", on: "a", pages: [0])]]
        await syncLater(stage)
        #expect(try text() == changed)
        let complaints = stage.agent.complaints
        #expect(complaints.count == 1 && complaints[0].contains("move it away"), "\(complaints)")
        let parts = stage.pdfs.parts.count
        stage.service.layers = ["1": [SmallService.layer("l", on: "a", pages: [0, 1], revision: 2)]]
        await syncLater(stage)
        #expect(stage.pdfs.parts.count == parts, "nothing is made that has no place")

        rename(folder.path(Self.sunday), folder.path("mine.pdf"))
        await syncLater(stage)
        #expect(try text().contains("pen") && stage.agent.complaints.isEmpty)
        try AtomicFile.write(changed, to: folder.path(Self.sunday))
        stage.clock.wallTimeAtStart += .seconds(3 * 86_400)
        await stage.sync()
        #expect(try names() == [Self.sunday, "mine.pdf"] && text() == changed)
    }

    /// If the agent is killed while it exchanges two files, its record also lists such temporary files. They are removed only if
    /// they have exactly the bytes that were written.
    @Test @LoopActor func whatIsNotedBesideAFileGoesIfItIsJustWhatWasWritten() async throws {
        let stage = try stage()
        await stage.sync()
        let path = home.path("data/exports.json")
        let record = String(decoding: try AtomicFile.read(path, limit: 1 << 20), as: UTF8.self)
        let entry = try #require(record.firstMatch(of: /"files":\[(\{[^}]*\})/)).1
        let others = [".tmp-1-2-exchanged", ".tmp-1-3-exchanged"]
        let noted = others.map { "," + entry.replacing(Self.sunday, with: $0) }.joined()
        try AtomicFile.write(record.replacing(entry, with: entry + noted), to: path)
        try AtomicFile.write(text(), to: folder.path(others[0]))
        try AtomicFile.write("mine", to: folder.path(others[1]))
        await stage.sync()
        #expect(try Set(names()) == [Self.sunday, others[1]])
    }

    // MARK: - Obstacles

    @Test @LoopActor func aFolderThatIsAwayIsNotMade() async throws {
        let place = folder.path("stick")
        let stage = try stage(in: place)
        await stage.sync()
        #expect(try names() == [])
        #expect(stage.agent.complaints.contains { $0.contains(place) && $0.contains("mkdir") }, "\(stage.agent.complaints)")
        try Folder.create(place)
        await stage.sync()
        #expect(try Folder.names(in: place) == [Self.sunday] && stage.agent.complaints.isEmpty)
    }

    @Test @LoopActor func withoutRoomTheFormerFileStaysAndItIsTriedAgain() async throws {
        let stage = try stage()
        await stage.sync()
        let before = try text()
        stage.service.layers = ["1": [SmallService.layer("l", on: "a", pages: [0])]]
        stage.pdfs.failure = { _ in .cannotWrite(ENOSPC) }
        await stage.sync()
        #expect(try text() == before && names() == [Self.sunday])
        #expect(stage.agent.complaints.contains { $0.contains("could not be written") })
        stage.pdfs.failure = { _ in nil }
        await stage.wait(for: .seconds(20))
        await stage.settleAsTold()
        #expect(try text() != before && stage.agent.complaints.isEmpty)
    }

    @Test @LoopActor func aPassingFailureTakesNothingOutOfAPDFThatIsWhole() async throws {
        let stage = try stage()
        await stage.sync()
        let before = try text()
        let failing = SmallService.Plan.sunday.charts[0].hash.digest.hex
        stage.service.layers = ["1": [SmallService.layer("l", on: "b", pages: [0])]]
        stage.pdfs.failure = { $0.chart.contains(failing) ? .timedOut(seconds: 10) : nil }
        await stage.sync()
        #expect(try text() == before)
        #expect(stage.agent.complaints.contains { $0.contains("stays as it was") && $0.contains("Song a.pdf") })
        stage.pdfs.failure = { _ in nil }
        await stage.wait(for: .seconds(20))
        await stage.settleAsTold()
        #expect(try text().contains("pen") && text().contains("Song a") && stage.agent.complaints.isEmpty)
    }

    @Test @LoopActor func whatIsMissingAfterAPassingFailureIsThereSoon() async throws {
        let stage = try stage()
        let failing = SmallService.Plan.sunday.charts[0].hash.digest.hex
        stage.pdfs.failure = { $0.chart.contains(failing) ? .crashed("ended") : nil }
        await stage.sync()
        #expect(try !text().contains("Song a"))
        stage.pdfs.failure = { _ in nil }
        await stage.wait(for: .seconds(20))
        await stage.settleAsTold()
        #expect(try text().contains("Song a") && stage.agent.complaints.isEmpty)
    }

    @Test @LoopActor func aChartThatCannotBeReadIsNamedAndTheRestIsThere() async throws {
        let stage = try stage()
        let lost = SmallService.Plan.sunday.charts[0].hash.digest.hex
        stage.pdfs.failure = { $0.chart.contains(lost) ? .encrypted : nil }
        await stage.sync()
        #expect(try text().hasSuffix("0 Song b\n") && !text().contains("Song a"))
        #expect(stage.agent.complaints.contains { $0.contains("is without Song a.pdf") })
        let parts = stage.pdfs.parts.count
        await syncLater(stage)
        #expect(stage.pdfs.parts.count == parts)
    }
}
