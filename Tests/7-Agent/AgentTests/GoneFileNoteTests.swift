import Catalogue
import Model
import Platform
import TestSupport
import Testing

@testable import Library
@testable import Readiness

/// A mark file that disappeared is reported for a week, with the way to restore it.
@Suite(.onLoop)
struct GoneFileNoteTests {
    private func text(_ count: Int) -> String { MarkText.native("a", (0..<count).map { MarkText.Dot(page: 0, x: Double($0 + 1) / 16) }) }

    @LoopActor private func notes(_ stage: MarkStage) async throws -> [ReadinessNote] {
        let report = try await stage.report()
        #expect(report.isReady, "they are notes and no lacks")
        return report.plans.flatMap(\.charts).flatMap(\.notes)
    }

    @LoopActor private func stage(_ counts: [String: Int]) async throws -> MarkStage {
        let stage = try await MarkStage(["a", "b"])
        for (name, count) in counts.sorted(by: { $0.key < $1.key }) { try stage.music.save(text(count), as: name) }
        await stage.quiet()
        #expect(try await notes(stage).allSatisfy { $0.name == "copy-left-out" })
        return stage
    }

    @Test(arguments: [true, false]) @LoopActor func whatADeletedFileHadIsNotedForAWeek(isOnly: Bool) async throws {
        let stage = try await stage(isOnly ? ["x.marks.json": 3] : ["x.marks.json": 3, "y.marks.json": 1])
        try stage.music.delete("x.marks.json")
        await stage.quiet()
        let kept = isOnly ? 3 : 2
        let found = try await notes(stage)
        #expect(found.map(\.name) == ["mark-file-gone"] && found.map(\.path) == [stage.music.path("x.marks.json")], "\(found)")
        let sentence = found.first?.advised ?? ""
        let number = try stage.stage.library.markFiles.history(of: AttachmentID("a")).first?.number ?? 0
        #expect(sentence.contains(isOnly ? "and 3 marks in it are in none" : "and 2 of 3 marks in it are in none"), "\(sentence)")
        #expect(sentence.contains("is gone since \(TimeWords.local.day(stage.stage.clock.timestamp))"), "\(sentence)")
        #expect(sentence.contains("woodshed layers a --restore \(number)"), "\(sentence)")
        #expect(try stage.stage.library.markFiles.missingMarks(of: number, on: AttachmentID("a"))?.marks.count == kept)

        // The next agent reports the file, too, until a week has passed.
        await stage.end()
        try await stage.beginAgain()
        #expect(try await notes(stage) == found)
        let day: Int64 = 86_400_000_000_000
        for (days, count) in [(6, 1), (8, 0)] as [(Int64, Int)] {
            let time = stage.stage.clock.timestamp.nanoseconds - days * day
            try stage.stage.library.database.run("UPDATE former_marks SET vanished_at = ?", [.time(Timestamp(nanoseconds: time))])
            #expect(try await notes(stage).count == count, "\(days) days")
        }
        await stage.end()
    }
}
