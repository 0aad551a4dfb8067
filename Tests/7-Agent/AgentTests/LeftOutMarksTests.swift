import Library
import Model
import Platform
import Rendering
import TestSupport
import Testing

@testable import Agent
@testable import ImageKeeping
@testable import Marks
@testable import Readiness

/// Marks that nobody sees, since they fit no chart or page, or cannot be read: all of them are reported.
@Suite(.onLoop)
struct LeftOutMarksTests {
    private typealias Dot = MarkText.Dot

    /// The findings of `woodshed status` and `woodshed ready`, for all plans or none.
    @LoopActor
    private func report(_ stage: MarkStage, ofPlans: Bool = true, isThorough: Bool = false) async throws -> ReadinessReport {
        try await stage.report(ofPlans: ofPlans, isThorough: isThorough)
    }

    /// Saves marks that nobody can see: a journal of an unknown PDF, a layer of an unknown chart, and marks on a page that is not there.
    @LoopActor
    private func save(_ stage: MarkStage) throws {
        try stage.music.save(MarkText.journal("/x/unknown.pdf", [Dot(page: 0, x: 0.5)]), as: "u.xopp")
        try stage.music.save(MarkText.native("999", [Dot(page: 0, x: 0.5)]), as: "n.marks.json")
        try stage.music.save(MarkText.native("a", [Dot(page: 0, x: 0.5), Dot(page: 49, x: 0.5)]), as: "far.marks.json")
    }

    private func unmatched(_ stage: MarkStage) async -> [ReadinessReport.UnmatchedMarks] {
        await [
            ReadinessReport.UnmatchedMarks(path: stage.music.path("n.marks.json"), names: "the chart 999"),
            ReadinessReport.UnmatchedMarks(path: stage.music.path("u.xopp"), names: "/x/unknown.pdf"),
        ]
    }

    @Test @LoopActor func marksOfNoChartAndOfNoPageAreReported() async throws {
        let stage = try await MarkStage(["a", "b"])
        try save(stage)
        await stage.quiet()
        let path = stage.music.path("far.marks.json")
        let found = try await report(stage)
        #expect(found.unmatchedMarks == (await unmatched(stage)))
        let charts = found.plans[0].charts
        #expect(charts.map(\.notes) == [[.marksBeyond([PageIndex(49)], of: path, path: path, chartPages: 2)], []])
        #expect(
            charts[0].notes.map(\.advised) == [
                "your marks: \(path) has some on page 50, which this chart of 2 pages does not have "
                    + "(page 49 in the file, which counts from 0)"
            ])
        #expect(found.isReady, "they are notes and no lacks")
        // Troubles of a chart are only reported there.
        #expect(found.unseenMarks == (await unmatched(stage)).map(\.sentence))
        let elsewhere = try await report(stage, ofPlans: false).unseenMarks
        #expect(elsewhere.count == 3 && elsewhere[2].contains("\(path) has some on page 50, which Song a.pdf of 2 pages does not have"))

        // Files that are mended or gone are not reported longer than it takes to read them, either.
        try stage.music.save(MarkText.native("a", [Dot(page: 1, x: 0.5)]), as: "far.marks.json")
        try stage.music.save(MarkText.native("b", [Dot(page: 1, x: 0.5)]), as: "n.marks.json")
        try stage.music.delete("u.xopp")
        await stage.quiet()
        let mended = try await report(stage)
        #expect(mended.unmatchedMarks.isEmpty && mended.marksBeyond.isEmpty && mended.unseenMarks.isEmpty)
        #expect(mended.plans[0].charts.flatMap(\.notes).map(\.name) == ["marks-vanished"], "what was on that page is in the history")
        await stage.end()
    }

    /// The same files, saved while no agent ran, are reported before anybody has read them, unless a chart lacks them.
    @Test(arguments: [false, true]) @LoopActor func withoutAnAgentTheyAreReported(isThorough: Bool) async throws {
        let stage = try await MarkStage(["a", "b"])
        try stage.music.save(MarkText.native("nobody's", [Dot(page: 0, x: 0.5)]), as: "n.marks.json")
        await stage.quiet()
        await stage.end()
        try save(stage)
        let unread = try await report(stage, isThorough: isThorough)
        #expect(unread.unmatchedMarks == (await unmatched(stage)))
        #expect(unread.plans[0].charts[0].lacks.contains(.marksUnread(path: stage.music.path("far.marks.json"), .new)))
        try await stage.beginAgain()
        await stage.end()
        let read = try await report(stage, isThorough: isThorough)
        #expect(read.unmatchedMarks == (await unmatched(stage)) && read.marksBeyond.map(\.pages) == [[PageIndex(49)]])
    }

    @Test @LoopActor func anAgentTellsOnceOfFilesWithoutAChart() async throws {
        let stage = try await MarkStage(["a", "b"])
        func told() -> [String] { stage.stage.logged.filter { $0.contains("no chart here") } }
        try save(stage)
        await stage.quiet()
        stage.music.rescan()
        await stage.quiet()
        #expect(told().count == 2)
        await stage.end()
        try await stage.beginAgain()
        await stage.sync()
        stage.music.rescan()
        await stage.quiet()
        #expect(
            told() == ["\(stage.music.path("n.marks.json")) and 1 more still belong to no chart here; 'woodshed status' lists them"]
        )
        await stage.end()
    }

    @Test @LoopActor func whatIsLeftOutOfAFileIsANoteUntilItIsSavedWhole() async throws {
        let stage = try await MarkStage(["a", "b"])
        let good = MarkText.native("a", [Dot(page: 0, x: 0.5)])
        try stage.music.save(good.replacing(#""marks":["#, with: #""marks":[{"id":"x"},{"id":"y","page":"one"},"#), as: "own.marks.json")
        await stage.quiet()
        let path = stage.music.path("own.marks.json")
        let what = [
            "marks left out because “page” is missing: 1 (mark 1)", "marks left out because “page” has the wrong type: 1 (mark 2)",
        ]
        let found = try await report(stage)
        #expect(found.isReady && found.plans[0].charts[0].notes == [.marksLeftOut(what, path: path)])
        #expect(
            found.plans[0].charts[0].notes[0].advised
                == "your marks: \(path) is not all drawn as it was made: \(what.joined(separator: "; ")); 'woodshed help marks' says what can be drawn"
        )
        // The viewer reports it, too.
        let attachment = try #require(try stage.stage.library.plans.all().flatMap(\.attachments).first { $0.id == AttachmentID("a") })
        let outlook = try await stage.stage.agent.outlook(of: attachment)
        #expect(outlook.report.notes == [.marksLeftOut(what, path: path)])
        await stage.end()
        try await stage.beginAgain()
        #expect(try await report(stage).plans[0].charts[0].notes.count == 1, "after a restart, too")
        try stage.music.save(good, as: "own.marks.json")
        await stage.quiet()
        #expect(try await report(stage).plans[0].charts[0].notes == [])
        await stage.end()
    }

    @Test @LoopActor func manyOfThemAreCounted() async throws {
        let stage = try await MarkStage(["a"])
        for number in 10..<18 {
            try stage.music.save(MarkText.native("none", [Dot(page: 0, x: 0.5)]), as: "n\(number).marks.json")
            try stage.music.save(MarkText.native("a", [Dot(page: 7, x: Double(number) / 32)]), as: "a\(number).marks.json")
        }
        await stage.quiet()
        let found = try await report(stage)
        #expect(found.unmatchedMarks.count == 8 && found.unseenMarks.count == 6)
        #expect(found.unseenMarks[5] == "your marks, for no chart here: 3 more files")
        let notes = found.plans[0].charts[0].notes
        #expect(notes.count == 6 && notes[5] == .moreMarksLeftOut(3))
        await stage.end()
    }
}
