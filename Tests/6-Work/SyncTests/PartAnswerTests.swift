import Catalogue
import Model
import Platform
import TestSupport
import Testing

@testable import Library
@testable import Sync

/// Polls that fail in part: a request is refused, an answer cannot be read completely, or its marks cannot be stored.
@Suite(.onLoop)
struct PartAnswerTests {
    nonisolated private static let list =
        "https://service.test/services/v2/people/104/schedules?filter=future&order=starts_at&include=plan_times&per_page=100"
    nonisolated private static let marks = "https://service.test/annotations/v1/layers?where%5Bplan_id%5D=1&per_page=100"

    @Test @LoopActor func aTokenThatIsRefusedOnTheWayIsARefusedToken() async throws {
        let stage = try Stage([Stage.plans[0]])
        #expect(await stage.sync().isComplete)
        let heard = try stage.library.lastPoll
        stage.service.network.route(.get, Self.marks, status: 401, "Access denied.")
        await stage.wait(for: .seconds(60))
        #expect(await stage.sync().reach == .notAuthorised)
        #expect(try stage.library.lastPoll == heard)
    }

    @Test @LoopActor func aListThatIsNotAllUnderstoodSaysNothingOfOtherPlans() async throws {
        let stage = try Stage(Stage.plans)
        #expect(await stage.sync().isComplete)
        let odd = #"{"type":"Schedule","id":"s","attributes":{"status":"C"},"relationships":{}}"#
        stage.service.network.route(.get, Self.list, #"{"data":[\#(odd)],"included":[],"links":{}}"#)
        #expect(await !stage.sync().isComplete)
        #expect(try stage.library.plans.gone().isEmpty)
        // A complete list does remove plans.
        stage.service.network.route(.get, Self.list, #"{"data":[],"included":[],"links":{}}"#)
        await stage.sync()
        #expect(try stage.library.plans.gone().count == Stage.plans.count)
    }

    @Test @LoopActor func marksThatCannotBeKeptMakeNoPollAGoodOne() async throws {
        let stage = try Stage([Stage.plans[0]])
        #expect(await stage.sync().isComplete)
        let heard = try stage.library.lastPoll
        try stage.library.database.run(
            "CREATE TEMP TRIGGER full BEFORE INSERT ON layers BEGIN SELECT RAISE(ABORT, 'no room'); END")
        stage.service.layers["1"] = [SmallService.layer("l", on: "1a", pages: [0])]
        await stage.wait(for: .seconds(60))
        #expect(await !stage.sync().isComplete)
        #expect(try stage.library.lastPoll == heard)
        try stage.library.database.run("DROP TRIGGER full")
        #expect(await stage.sync().isComplete)
        #expect(try stage.library.lastPoll != heard)
    }

    @Test @LoopActor func aLayerThatCannotBeReadIsToldOnceThoughItsChartIsInTwoPlans() async throws {
        let charts = Stage.plans[0].charts
        let stage = try Stage(Stage.plans.map { SmallService.Plan(id: $0.id, startsAt: $0.startsAt, charts: charts) })
        let layer = SmallService.layer("l", on: "1a", pages: [0]).replacing(#""page":0"#, with: #""page":"first""#)
        stage.service.layers = ["1": [layer], "2": [layer]]
        #expect(await stage.sync().setbacks.count { $0.subject.hasPrefix("marks of") } == 1)
    }
}
