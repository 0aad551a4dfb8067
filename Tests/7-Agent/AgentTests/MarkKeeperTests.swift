import Agent
import Freshness
import Glibc
import Library
import Model
import PageCache
import Platform
import Rendering
import TestSupport
import Testing

@testable import ImageKeeping
@testable import Sync

/// The cost of a change in a musician's own file of marks.
@Suite(.onLoop)
struct MarkKeeperTests {
    private typealias Dot = MarkText.Dot

    private static let many = (0..<40).map { Dot(page: $0, x: 0.5) }

    /// A chart of forty pages, each with a mark of the same native layer.
    @LoopActor
    private func marked() async throws -> MarkStage {
        let stage = try await MarkStage(["a"], pages: 40)
        try stage.music.save(MarkText.native("a", Self.many), as: "a.marks.json")
        await stage.quiet()
        #expect(stage.rendered() == [String](repeating: "annotated", count: 40))
        return stage
    }

    // MARK: One page

    @Test @LoopActor func oneMarkMakesOneImage() async throws {
        let stage = try await marked()
        let before = try stage.images()
        try stage.music.save(MarkText.native("a", Self.many + [Dot(page: 17, x: 0.25)]), as: "a.marks.json")
        await stage.quiet()
        #expect(try stage.newImages(since: before).map(\.page) == [PageIndex(17)])
        #expect(stage.rendered() == ["annotated"])
    }

    @Test @LoopActor func removedMarkMakesNoImageWhereNoneIsLeft() async throws {
        let stage = try await marked()
        let before = try stage.images()
        try stage.music.save(MarkText.native("a", Self.many.filter { $0.page != 3 }), as: "a.marks.json")
        await stage.quiet()
        // A page without marks is shown by its plain image.
        #expect(try stage.newImages(since: before) == [])
        #expect(stage.rendered() == [])
        #expect(try await stage.stage.agent.planTable().isComplete)
    }

    @Test @LoopActor func undoneChangeBringsTheFormerImageBackWithoutARender() async throws {
        let stage = try await marked()
        let original = try await stage.wanted()
        try stage.music.save(MarkText.native("a", Self.many + [Dot(page: 17, x: 0.25)]), as: "a.marks.json")
        await stage.quiet()
        let between = try await stage.wanted()
        #expect(between.subtracting(original).count == 1)
        _ = stage.rendered()
        let before = try stage.images()
        try stage.music.save(MarkText.native("a", Self.many), as: "a.marks.json")
        await stage.quiet()
        #expect(try await stage.wanted() == original)
        #expect(try stage.newImages(since: before) == [])
        #expect(stage.rendered() == [])
    }

    @Test @LoopActor func deletedFileThatComesBackCostsNothing() async throws {
        let stage = try await marked()
        let original = try await stage.wanted()
        try stage.music.save(MarkText.native("a", []), as: "other.marks.json")
        try stage.music.delete("a.marks.json")
        await stage.quiet()
        #expect(try stage.stage.library.markFiles.file(at: stage.music.path("a.marks.json")) == nil)
        #expect(try await stage.wanted().isDisjoint(with: original.filter { $0.variant == .annotated }))
        let before = try stage.images()
        try stage.music.save(MarkText.native("a", Self.many), as: "a.marks.json")
        await stage.quiet()
        #expect(try await stage.wanted() == original)
        #expect(try stage.newImages(since: before) == [])
        #expect(stage.rendered() == [])
    }

    // MARK: Changes that draw nothing new

    @Test @LoopActor func whatDrawsTheSameIsNotRendered() async throws {
        let stage = try await marked()
        let before = try stage.images()
        let path = stage.music.path("a.marks.json")
        let saves: [@LoopActor () throws -> Void] = [
            {
                var times = [timespec(tv_sec: 1_000_000_000, tv_nsec: 0), timespec(tv_sec: 1_000_000_000, tv_nsec: 0)]
                #expect(utimensat(AT_FDCWD, path, &times, 0) == 0)
                stage.music.rescan()
            },
            { try stage.music.save(MarkText.native("a", Self.many), as: "a.marks.json") },
            { try stage.music.overwrite(Array(MarkText.native("a", Self.many).utf8), as: "a.marks.json") },
            { try stage.music.save(MarkText.native("a", Self.many, isReordered: true), as: "a.marks.json") },
            { try stage.music.save(MarkText.native("a", Self.many, tail: "\n\n"), as: "a.marks.json") },
        ]
        for (number, save) in saves.enumerated() {
            try save()
            await stage.quiet()
            #expect(stage.rendered() == [], "save \(number)")
            #expect(try stage.newImages(since: before) == [], "save \(number)")
        }
    }

    @Test @LoopActor func movedSongCostsNothingAndItsFileStillMatches() async throws {
        let stage = try await MarkStage(["a", "b"])
        let (first, second) = (try stage.link("a"), try stage.link("b"))
        // One file names the link's path, the other lies next to the link.
        try stage.music.save(MarkText.journal(stage.music.path(first), [Dot(page: 0, x: 0.5)]), as: "far.xopp")
        let beside = String(second.dropLast(".pdf".count)) + ".xopp"
        try stage.music.save(MarkText.journal("/gone/elsewhere.pdf", [Dot(page: 1, x: 0.5)]), as: beside)
        await stage.quiet()
        #expect(stage.rendered() == ["annotated", "annotated"])
        let before = try stage.images()

        stage.stage.service.plans[0].charts.reverse()
        await stage.sync()
        #expect(try stage.link("a") == first.replacing("01 ", with: "02 "), "links follow the plan where nothing of the user's is beside")
        stage.music.rescan()
        await stage.quiet()
        await stage.end()
        try await stage.beginAgain()
        for (name, attachment) in [("far.xopp", "a"), (beside, "b")] {
            // A file that is saved again is matched again.
            try stage.music.save(stage.music.files[name] ?? [], as: name)
            await stage.quiet()
            #expect(try stage.stage.library.markFiles.file(at: stage.music.path(name))?.attachment == AttachmentID(attachment))
        }
        #expect(stage.rendered() == [])
        #expect(try stage.newImages(since: before) == [])
    }

    /// Somebody in the team may mark something every few minutes. Listing a large folder each time would be too much work, so only
    /// a requested sync does it.
    @Test @LoopActor func marksThatTheServiceSendsAreNoReasonToListTheFolders() async throws {
        let stage = try await MarkStage(["a"])
        stage.music.events = nil
        try stage.music.save(MarkText.native("a", [Dot(page: 0, x: 0.5)]), as: "untold.marks.json")
        stage.stage.service.layers["1"] = [SmallService.layer("l", on: "a", pages: [1])]
        let outcome = await stage.stage.clock.run { await stage.stage.agent.poll(PollScope(isRequested: false)) }
        await stage.quiet()
        #expect(!outcome.changes.isEmpty && stage.rendered() == ["annotated"])
        #expect(try stage.stage.library.markFiles.all().isEmpty)
        await stage.sync()
        #expect(try stage.stage.library.markFiles.all().count == 1, "whoever asks for a sync has them looked for")
    }

    // MARK: Many, and often

    @Test @LoopActor func fiveHundredFilesAtOnce() async throws {
        let stage = try await MarkStage(["a"], pages: 40)
        for number in 0..<500 {
            try stage.music.save(MarkText.native("a", [Dot(page: number % 40, x: Double(number) / 500)]), as: "\(number).marks.json")
        }
        await stage.quiet()
        #expect(try stage.stage.library.markFiles.all().count == 500)
        #expect((40..<50).contains(stage.rendered().count), "each page once, but for those that were being made when more came")
        #expect(try await stage.stage.agent.planTable().isComplete)
    }

    @Test @LoopActor func newerChangeReplacesTheWaitingOne() async throws {
        let stage = try await MarkStage(["a"])
        stage.stage.renderer.isHeld = true
        /// Saves one mark on the first page, and waits until the agent has read it.
        func save(_ x: Double) async throws {
            try stage.music.save(MarkText.native("a", [Dot(page: 0, x: x)]), as: "a.marks.json")
            await stage.stage.wait(for: .milliseconds(400))
        }
        for x in [0.1, 0.2, 0.3, 0.4] {
            try await save(x)
            #expect(stage.stage.renderer.running == 1, "one for the page, however often it changes")
        }
        let shown = { stage.stage.newJobs().map { $0.marks?.marks.first?.points.first?.x } }
        #expect(shown() == [0.1])
        stage.stage.renderer.isHeld = false
        stage.stage.renderer.finishNext()
        await stage.quiet()
        #expect(shown() == [0.4], "what came between is nobody's wish any more")
        #expect(stage.stage.cache.present().count { $0.variant == .annotated } == 2, "each under its own name")
        #expect(try await stage.stage.agent.planTable().isComplete)
    }
}

extension MarkStage {
    /// The images that the agent wants now.
    func wanted() async throws -> Set<ImageName> {
        let wants = LibraryWants(library: stage.library, render: RenderSettings(), ahead: AgentSettings().ahead)
        let renderer = try await stage.renderer.identity()
        return Set(try wants.set(by: renderer, now: stage.clock.timestamp).images.map(\.name))
    }
}
