import Catalogue
import Model
import Platform
import TestSupport
import Testing

@testable import Agent
@testable import Library

/// The catalogue's work for a save does not grow with the number of known files.
@Suite(.onLoop)
struct SaveCostTests {
    private typealias Dot = MarkText.Dot

    /// SQLite's steps for each statement, from the save of a file until its marks are drawn. The folder has `others` other files, half
    /// of them native layers, all for charts that are gone.
    @LoopActor private func stepsOfASave(among others: Int) async throws -> [String: Int] {
        let stage = try await MarkStage(["a"])
        for number in 0..<others {
            let dots = [Dot(page: 0, x: 0.5)]
            if number % 2 == 0 {
                try stage.music.save(MarkText.native("gone-\(number)", dots), as: "other \(number).marks.json")
            } else {
                try stage.music.save(MarkText.gzip(MarkText.journal("gone \(number).pdf", dots)), as: "other \(number).xopp")
            }
        }
        try stage.music.save(MarkText.native("a", [Dot(page: 0, x: 0.5)]), as: "mine.marks.json")
        await stage.quiet()
        let database = stage.stage.library.database
        #expect(try stage.stage.library.markFiles.stamps().count == others + 1)
        var before: [String: Int] = [:]
        // The first save may run queries that are needed only once, so only the second is counted.
        for x in [0.25, 0.75] {
            before = database.stepsTaken
            try stage.music.save(MarkText.native("a", [Dot(page: 0, x: x)]), as: "mine.marks.json")
            await stage.quiet()
        }
        return database.stepsTaken.merging(before) { $0 - $1 }.filter { $0.value > 0 }
    }

    @Test @LoopActor func aSaveCostsNoMoreAmongManyFiles() async throws {
        let (few, many) = (try await stepsOfASave(among: 20), try await stepsOfASave(among: 400))
        #expect(few.count > 10)
        for (statement, steps) in many {
            #expect(steps < few[statement, default: 0] + 100, "\(few[statement, default: 0]) steps among 20 files: \(statement)")
        }
    }
}
