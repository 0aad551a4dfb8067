import Agent
import Catalogue
import Glibc
import Model
import Platform
import Readiness
import TestSupport
import Testing

@testable import Library

/// Readiness where marks go back in time, until they are newer again or accepted as they are.
@Suite(.onLoop)
struct OlderFolderTests {
    private static let charts = ["a", "b", "c"]

    private static func text(_ chart: String, _ count: Int) -> String {
        MarkText.native(chart, (0..<count).map { MarkText.Dot(page: 0, x: Double($0) / 8) })
    }

    /// Gives a file the time of so many minutes after the others.
    @LoopActor private func date(_ name: String, _ minutes: Int, in stage: MarkStage) {
        let time = timespec(tv_sec: 1_700_000_000 + 60 * minutes, tv_nsec: 0)
        #expect(utimensat(AT_FDCWD, stage.music.path(name), [time, time], 0) == 0)
        stage.music.close(name)
    }

    /// Has the files say so many marks, all at once; their times are `apart` from each other.
    @LoopActor private func put(_ marks: Int, _ charts: [String], at minutes: Int, apart: Int = 7, in stage: MarkStage) async throws {
        for (place, chart) in charts.enumerated() {
            try stage.music.save(Self.text(chart, marks), as: chart + ".marks.json")
            date(chart + ".marks.json", minutes + apart * place, in: stage)
        }
        await stage.quiet()
    }

    @LoopActor private func drawn(_ stage: MarkStage) throws -> [Int] {
        try Self.charts.map { try stage.stage.library.drawings.visibleLayers(of: AttachmentID($0)).flatMap(\.marks).count }
    }

    @LoopActor private func lacking(_ stage: MarkStage) async throws -> [String] {
        try await stage.stage.agent.readiness().lacks.filter { $0.sentence.contains("went back to an older state") }.map(\.name)
    }

    /// With the dates of the backup, or those of the copying.
    @Test(arguments: [(-5000, 7), (5000, 0)])
    @LoopActor func manyFilesThatGoBackAtOnceKeepTheirNewerMarks(minutes: Int, apart: Int) async throws {
        let stage = try await MarkStage(Self.charts)
        try await put(5, Self.charts, at: 0, in: stage)
        #expect(try drawn(stage) == [5, 5, 5])
        try await put(2, Self.charts, at: minutes, apart: apart, in: stage)
        #expect(try drawn(stage) == [5, 5, 5])
        #expect(try await lacking(stage).count == 3)
        #expect(stage.stage.logged.count { $0.contains("a.marks.json and 2 more went back to an older state") } == 1)
        #expect(try stage.stage.library.journal.entries().filter { $0.change.sentence.contains("vanished") } == [])
        // Neither another look nor another agent forgets that.
        date("b.marks.json", minutes + apart, in: stage)
        await stage.quiet()
        await stage.end()
        try await stage.beginAgain()
        #expect(try drawn(stage) == [5, 5, 5])
        #expect(try await lacking(stage).count == 3)

        // One newer file comes back, one is saved by a person, and the other is accepted as it is.
        try await put(5, ["a"], at: 0, in: stage)
        try await put(3, ["b"], at: 9000, in: stage)
        #expect(try drawn(stage) == [5, 3, 5])
        #expect(try await lacking(stage).count == 1)
        let outcome = try MarkFileStore.letGo(
            ofFilesBelow: stage.music.path, inLibraryAt: stage.stage.library.folder, at: stage.stage.clock.timestamp)
        #expect(outcome.older == 1 && outcome.count == 0)
        stage.stage.agent.noteChange()
        await stage.quiet()
        #expect(try drawn(stage) == [5, 3, 2])
        #expect(try await lacking(stage) == [])
        #expect(try stage.stage.library.markFiles.history(of: AttachmentID("c")).map(\.missing) == [3])
        await stage.end()
    }
}
