import Library
import Model
import Platform
import TestSupport
import Testing

@testable import Sync

/// A service restored from a backup: after one sign of that in a poll, no marks from the poll remove others.
@Suite(.onLoop)
struct PutBackTests {
    private static func chart(_ id: String, day: Int) -> SmallService.Chart {
        SmallService.Chart(id: id, name: "Song \(id)", bytes: SmallService.pdf("\(id) of \(day)"), updatedAt: "2026-11-\(day)T10:00:00Z")
    }

    @Test(arguments: [true, false]) @LoopActor func oneSignMakesAllMarksOfThatPollSuspect(isAChart: Bool) async throws {
        let charts = [Self.chart("a", day: 20), Self.chart("b", day: 10)]
        let plan = SmallService.Plan(id: "1", startsAt: "2026-12-06T10:00:00Z", charts: charts)
        let stage = try Stage([plan])
        let marks = [SmallService.layer("l", on: "a", pages: [0, 1], revision: 10), SmallService.layer("m", on: "b", pages: [0, 1])]
        stage.service.layers["1"] = marks
        #expect(await stage.sync().isComplete)
        if isAChart {
            stage.service.plans[0].charts[0] = Self.chart("a", day: 12)
        } else {
            stage.service.layers["1"]?[0] = SmallService.layer("l", on: "a", pages: [0], revision: 7)
        }
        // In any other poll, the loss of this mark would be an ordinary change.
        stage.service.layers["1"]?[1] = SmallService.layer("m", on: "b", pages: [1], revision: 2)
        for _ in 0..<2 {
            let told = await stage.sync().setbacks.map(\.message).joined()
            #expect(told.contains("older than here") == isAChart && told.contains("woodshed accept b"), "\(told)")
            #expect(try stage.library.layers.all(of: AttachmentID("b")).flatMap(\.marks).count == 2)
            #expect(try stage.library.layers.doubts().last?.reason == .putBack(missing: 1, of: 2))
            await stage.wait(for: .seconds(2 * 86_400))
        }
        // The service returns to its state before the restore.
        stage.service.plans = [plan]
        stage.service.layers["1"] = marks
        #expect(await stage.sync().isComplete)
        #expect(try stage.library.layers.doubts().isEmpty && stage.library.plans.heldBack().isEmpty)
        stage.service.layers["1"]?[1] = SmallService.layer("m", on: "b", pages: [1], revision: 2)
        #expect(await stage.sync().isComplete)
        #expect(try stage.library.layers.all(of: AttachmentID("b")).flatMap(\.marks).count == 1)
    }
}
