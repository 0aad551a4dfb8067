import Catalogue
import Glibc
import Model
import Platform
import TestSupport
import Testing

@testable import Agent
@testable import Library
@testable import Marks

/// How files of marks are read: every stored file is drawn, even while others cannot be stored.
@Suite(.onLoop)
struct MarkReadingTests {
    private typealias Dot = MarkText.Dot
    private static let dots = [Dot(page: 0, x: 0.5), Dot(page: 1, x: 0.25)]

    @LoopActor
    private func known(_ name: String, _ stage: MarkStage) throws -> LocalFile? {
        try stage.stage.library.markFiles.file(at: stage.music.path(name))
    }

    /// Makes the library refuse to store files whose path ends in `ending`, as a full disk would.
    @LoopActor
    private func refuse(_ ending: String, in stage: MarkStage) throws {
        for event in ["INSERT", "UPDATE"] {
            try stage.stage.library.database.run(
                """
                CREATE TEMP TRIGGER refuse_\(event) BEFORE \(event) ON local_files WHEN NEW.path LIKE '%\(ending)'
                BEGIN SELECT RAISE(ABORT, 'refused'); END
                """)
        }
    }

    @LoopActor
    private func refuseNoMore(in stage: MarkStage) throws {
        for event in ["INSERT", "UPDATE"] { try stage.stage.library.database.run("DROP TRIGGER temp.refuse_\(event)") }
    }

    /// For example, a disk that is mounted below a folder of marks causes no event, so a sync that a person requests also scans the
    /// folders.
    @Test @LoopActor func whatNoEventToldOfIsReadWhenAPersonAsks() async throws {
        let stage = try await MarkStage(["a"])
        let events = stage.music.events
        stage.music.events = nil
        try stage.music.save(MarkText.native("a", Self.dots), as: "late.marks.json")
        stage.music.events = events
        await stage.sync()
        #expect(try known("late.marks.json", stage)?.attachment == AttachmentID("a"))
    }

    @Test @LoopActor func whatCannotBeStoredIsTriedEverLessOftenAndSoonAgainOnceItCould() async throws {
        let stage = try await MarkStage(["a"])
        func isKnown(_ name: String, after seconds: Int) async throws -> Bool {
            await stage.stage.wait(for: .seconds(seconds))
            await stage.quiet()
            return try known(name, stage) != nil
        }
        func refuse(_ name: String) async throws {
            try self.refuse(name, in: stage)
            try stage.music.save(MarkText.native("a", Self.dots), as: name)
            #expect(try await !isKnown(name, after: 2))
        }
        try await refuse("first.marks.json")
        #expect(try await !isKnown("first.marks.json", after: 16))
        try refuseNoMore(in: stage)
        #expect(try await !isKnown("first.marks.json", after: 16), "the second pause is longer")
        #expect(try await isKnown("first.marks.json", after: 15))
        try await refuse("second.marks.json")
        try refuseNoMore(in: stage)
        #expect(try await isKnown("second.marks.json", after: 16))
    }

    // MARK: What is stored is drawn

    @Test(arguments: [true, false]) @LoopActor func whatWasStoredIsDrawnThoughTheNextFilesCannotBe(hasEvents: Bool) async throws {
        let stage = try await MarkStage(["a"], pages: 40)
        try refuse("last.marks.json", in: stage)
        let events = stage.music.events
        if !hasEvents { stage.music.events = nil }
        for number in 0..<40 {
            let name = number == 39 ? "z last" : "\(10 + number)"
            try stage.music.save(MarkText.native("a", [Dot(page: number, x: 0.5)]), as: "\(name).marks.json")
        }
        stage.music.events = events
        if !hasEvents { stage.music.rescan() }
        await stage.quiet()
        #expect(stage.rendered().count >= 32, "those of the first batch")
        try refuseNoMore(in: stage)
        await stage.stage.wait(for: .seconds(30))
        await stage.quiet()
        #expect(try await stage.wanted().count { $0.variant == .annotated } == 40)
        #expect(try await stage.stage.agent.planTable().isComplete)
    }

    @Test @LoopActor func whatWasMatchedIsDrawnThoughTheNextFilesCannotBe() async throws {
        let stage = try await MarkStage(["a"])
        for name in ["1", "2 last"] { try stage.music.save(MarkText.native("b", Self.dots), as: "\(name).marks.json") }
        await stage.quiet()
        try refuse("last.marks.json", in: stage)
        stage.stage.service.plans[0].charts.append(Season.chart("b"))
        await stage.sync()
        #expect(try known("1.marks.json", stage)?.attachment == AttachmentID("b"))
        #expect(try known("2 last.marks.json", stage)?.attachment == nil)
        #expect(try await stage.stage.agent.planTable().isComplete, "the marks of the first are drawn")
    }

    @Test @LoopActor func whatIsLookedAtNoMoreIsDrawnNoMoreThoughOtherFilesCannotBeStored() async throws {
        let stage = try await MarkStage(["a"])
        let elsewhere = stage.folder.path("elsewhere/x.marks.json")
        try Folder.create(stage.folder.path("elsewhere"))
        try stage.music.save(MarkText.native("a", Self.dots), as: "a.marks.json")
        await stage.quiet()
        // As if the other folder had been configured, too.
        var other = try #require(try known("a.marks.json", stage))
        other.path = elsewhere
        for mark in (other.content?.marks ?? []).indices { other.content?.marks[mark].points[0].x = 0.75 + Double(mark) / 16 }
        try stage.stage.library.markFiles.store([other])
        await stage.stage.settle()
        let before = try await stage.wanted()
        try refuse("last.marks.json", in: stage)
        stage.music.events = nil
        try stage.music.save("{", as: "last.marks.json")
        stage.stage.agent.markKeeper.requestLook()
        await stage.quiet()
        #expect(try stage.stage.library.markFiles.file(at: elsewhere) == nil)
        #expect(try await stage.wanted() != before)
        #expect(try await stage.stage.agent.planTable().isComplete)
    }

    // MARK: Many at once

    @Test @LoopActor func imagesAreMadeWhileManyNewFilesAreRead() async throws {
        let stage = try await MarkStage(["a"], pages: 40)
        await stage.end()
        TemporaryFolder.empty(stage.folder.path("cache"))
        for number in 0..<2000 {
            try stage.music.save(MarkText.native("a", [Dot(page: number % 40, x: Double(number) / 2000)]), as: "\(number).marks.json")
        }
        var knownAtFirstImage: Int?
        try await stage.beginAgain { stage in
            stage.renderer.onBegin = { _, _ in
                if knownAtFirstImage == nil { knownAtFirstImage = try? stage.library.markFiles.stamps().count }
            }
        }
        #expect((1..<1000).contains(try #require(knownAtFirstImage)), "not before anything is read, and not after everything is")
        #expect(try stage.stage.library.markFiles.stamps().count == 2000)
        #expect(stage.rendered().count < 40 * 10, "\(40) pages are drawn a few times, not for every file")
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
}
