import Agent
import Library
import Model
import Platform
import Readiness
import TestSupport
import Testing

/// A mark file that is saved without marks that it had: from an older base, by a slip, by a sync tool.
@Suite(.onLoop)
struct VanishedMarksTests {
    private typealias Dot = MarkText.Dot
    private let a = AttachmentID("a")

    private func dots(_ range: Range<Int>) -> [Dot] { range.map { Dot(page: 0, x: Double($0) / 40) } }

    @LoopActor
    private func stage(saying range: Range<Int>) async throws -> (MarkStage, save: @LoopActor (Range<Int>, String) async throws -> Void) {
        let stage = try await MarkStage(["a"])
        let link = stage.music.path(try stage.link("a"))
        let save: @LoopActor (Range<Int>, String) async throws -> Void = { range, name in
            try await stage.music.saveAsXournalDoes(MarkText.gzip(MarkText.journal(link, self.dots(range))), as: name)
            await stage.quiet()
        }
        try await save(range, "Grace.xopp")
        return (stage, save)
    }

    @LoopActor
    private func vanished(_ stage: MarkStage) throws -> [String] {
        try stage.stage.library.journal.entries().map(\.change.sentence).filter { $0.contains("vanished") }
    }

    @LoopActor
    private func notes(_ stage: MarkStage) async throws -> [String] {
        try await stage.stage.agent.readiness().plans.flatMap(\.charts).flatMap(\.notes).filter { $0.name == "marks-vanished" }.map(
            \.sentence)
    }

    /// What keeps a chart from being ready because so many marks are gone.
    @LoopActor
    private func lacks(_ stage: MarkStage) async throws -> [String] {
        try await stage.stage.agent.readiness().lacks.filter { $0.name == "marks-vanished" }.map(\.advised)
    }

    @Test @LoopActor func savesFromAnOlderBaseAreToldAndNothingOfThemIsLost() async throws {
        let (stage, save) = try await stage(saying: 0..<30)
        try await save(0..<3, "Grace.xopp")
        #expect(
            try vanished(stage) == ["27 marks vanished from Grace.xopp: kept; 'woodshed layers a --history' lists what it had"])
        #expect(try await lacks(stage).count == 1)
        #expect(try await notes(stage) == [])
        try await save(0..<0, "Grace.xopp")
        #expect(try vanished(stage).count == 2)
        let history = try stage.stage.library.markFiles.history(of: a)
        #expect(history.map(\.marks) == [3, 30] && history.map(\.missing) == [3, 30])
        #expect(try await lacks(stage).map { $0.contains("30 of 30 marks vanished from \(stage.music.path("Grace.xopp"))") } == [true])
        #expect(try await !stage.stage.agent.readiness().isReady)
        #expect(try stage.stage.library.markFiles.missingMarks(of: history[1].number, on: a)?.marks.count == 30)

        // They are not missing any more where they are drawn again.
        try await save(0..<29, "another.xopp")
        #expect(try stage.stage.library.markFiles.history(of: a).map(\.missing) == [0, 1])
        #expect(try await notes(stage) == [])
        #expect(try await lacks(stage) == [])
        try stage.music.delete("another.xopp")
        await stage.quiet()
        #expect(try await lacks(stage).map { $0.contains("woodshed layers a --restore 1") && $0.contains("woodshed accept a") } == [true])
        #expect(
            try Library.change(in: stage.stage.library.folder) { library throws(LibraryError) in try library.accept(chart: a) }
                == .vanishedMarks)
        #expect(try await notes(stage) == [])
        #expect(try await lacks(stage) == [])
        #expect(try stage.stage.library.markFiles.history(of: a).count == 3, "they can still be restored")
    }

    /// A folder that is put back from a backup loses a few marks in each of many files.
    @Test @LoopActor func manyMarksThatGoFromSeveralFilesAtOnceAreAskedAbout() async throws {
        let charts = ["a", "b", "c", "d"]
        let stage = try await MarkStage(charts)
        func save(_ range: Range<Int>) async throws {
            for chart in charts {
                let text = MarkText.journal(stage.music.path(try stage.link(chart)), dots(range))
                try stage.music.save(MarkText.gzip(text), as: "\(chart).xopp")
            }
            await stage.quiet()
        }
        try await save(0..<9)
        try await save(0..<7)
        #expect(try await lacks(stage) == [], "eight are not many")
        try await save(0..<4)
        #expect(try await lacks(stage).count == 4)
        // Brought back by themselves, they are nothing to ask about.
        try await save(0..<9)
        #expect(try await lacks(stage) == [])
        await stage.end()
    }

    @Test @LoopActor func addingMarksOrRenamingTheFileLosesNothing() async throws {
        let (stage, save) = try await stage(saying: 0..<5)
        try await save(0..<9, "Grace.xopp")
        try stage.music.rename("Grace.xopp", to: "Amazing.xopp")
        await stage.quiet()
        #expect(try vanished(stage) == [])
        #expect(try stage.stage.library.markFiles.history(of: a) == [])
        // Erasing a few of many is told, but nobody is asked about it.
        try await save(1..<9, "Amazing.xopp")
        #expect(try vanished(stage).map { $0.hasPrefix("1 mark vanished from Amazing.xopp") } == [true])
        #expect(try await notes(stage) == [])
    }

    /// A program or a slip of the keyboard makes a file of one chart that of another; nobody looks for the marks there.
    @Test(arguments: ["Grace.xopp", "Grace.marks.json"]) @LoopActor
    func marksThatGoToAnotherChartWithTheirFileHaveVanishedFromTheirOwn(name: String) async throws {
        let stage = try await MarkStage(["a", "b"])
        let save: @LoopActor (String) async throws -> Void = { chart in
            let link = stage.music.path(try stage.link(chart))
            let text = name.hasSuffix(".xopp") ? MarkText.journal(link, self.dots(0..<5)) : MarkText.native(chart, self.dots(0..<5))
            try await stage.music.saveAsXournalDoes(name.hasSuffix(".xopp") ? MarkText.gzip(text) : Array(text.utf8), as: name)
            await stage.quiet()
        }
        try await save("a")
        try await save("b")
        #expect(try vanished(stage) == ["5 marks vanished from \(name): kept; 'woodshed layers a --history' lists what it had"])
        let history = try stage.stage.library.markFiles.history(of: a)
        #expect(history.map(\.missing) == [5])
        #expect(try await notes(stage).map { $0.contains("5 of 5 marks vanished") || $0.contains("5 marks vanished") } == [true])
        #expect(try history.first.flatMap { try stage.stage.library.markFiles.missingMarks(of: $0.number, on: a) }?.marks.count == 5)

        try await save("a")
        #expect(try stage.stage.library.markFiles.history(of: a).map(\.missing).max() == 0)
        #expect(try await notes(stage) == [])
    }

    @Test @LoopActor func whatADeletedFileHadIsKeptWithoutANote() async throws {
        let (stage, _) = try await stage(saying: 0..<5)
        try stage.music.delete("Grace.xopp")
        await stage.quiet()
        #expect(try vanished(stage).map { $0.hasPrefix("5 marks vanished from Grace.xopp") } == [true])
        #expect(try stage.stage.library.markFiles.history(of: a).map(\.missing) == [5])
        #expect(try await notes(stage) == [])
    }
}
