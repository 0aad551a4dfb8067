import Agent
import Library
import Model
import Platform
import TestSupport
import Testing

@testable import Readiness
@testable import Sync

/// The service is put back to a backup: newer charts and marks here stay in sight until somebody accepts the older ones.
@Suite(.onLoop)
struct PutBackTests {
    private static func chart(_ id: String, _ text: String, day: Int = 10) -> SmallService.Chart {
        SmallService.Chart(id: id, name: "Song \(id)", bytes: SmallService.pdf(text), updatedAt: "2026-11-\(day)T10:00:00Z")
    }

    private static func hash(_ text: String) -> ChartHash { ChartHash(SHA256.digest(of: SmallService.pdf(text))) }

    /// A layer with dots in these places.
    private static func layer(_ id: String, on chart: String = "a", _ places: [Int], revision: Int) -> String {
        let begin = #""marks":["#
        let parts = places.map { place in
            SmallService.layer(id, on: chart, pages: [0], x: Double(place) / 64).split(separator: begin)[1].dropLast(3)
        }
        let empty = SmallService.layer(id, on: chart, pages: [], revision: revision).split(separator: begin)
        return "\(empty[0])\(begin)\(parts.joined(separator: ","))]}}"
    }

    @LoopActor private func stage(_ plans: String...) async throws -> Stage {
        let stage = try Stage(
            plans.map { id in
                let charts = [Self.chart("a", "a", day: 20), Self.chart("b\(id)", "b")]
                return SmallService.Plan(id: id, startsAt: "2026-12-06T1\(id):00:00Z", charts: charts)
            })
        stage.service.layers["1"] = [Self.layer("l", [1, 2, 3, 4, 5], revision: 10), Self.layer("m", on: "b1", [6, 7], revision: 3)]
        #expect(await stage.sync().isComplete)
        return stage
    }

    @LoopActor private func places(_ stage: Stage, _ layer: String, on chart: String = "a") throws -> [Int] {
        try stage.library.layers.all(of: AttachmentID(chart)).filter { $0.id == LayerID(layer) }.flatMap(\.marks)
            .compactMap { $0.points.first.map { Int($0.x * 64) } }
    }

    @LoopActor private func lacks(_ stage: Stage) async throws -> [String] {
        try await stage.agent.readiness().plans.flatMap { $0.lacks + $0.charts.flatMap(\.lacks) }.map(\.name)
    }

    @LoopActor private func journal(_ stage: Stage) throws -> String {
        try stage.library.journal.entries().map { $0.change.sentence(telling: .utc) }.joined(separator: "\n")
    }

    @Test(arguments: [false, true]) @LoopActor func marksMadeSinceTheBackupStayWhatEverIsMadeAfterIt(isSeenBetween: Bool) async throws {
        let stage = try await stage("1")
        if isSeenBetween {
            stage.service.layers["1"]?[0] = Self.layer("l", [1, 2], revision: 7)
            let told = await stage.sync()
            #expect(told.setbacks.map(\.message).joined().contains("woodshed accept a"), "\(told.setbacks)")
        } else {
            // Another layer gives the older state away.
            stage.service.layers["1"]?[1] = Self.layer("m", on: "b1", [6], revision: 2)
        }
        for _ in 0..<2 {
            stage.service.layers["1"]?[0] = Self.layer("l", [1, 2, 11, 12, 13, 14, 15], revision: 12)
            #expect(await !stage.sync().isComplete)
            #expect(try places(stage, "l") == [1, 2, 3, 4, 5])
            #expect(try await lacks(stage).contains("layer-doubted"))
            await stage.wait(for: .seconds(2 * 86_400))
        }
        let journal = try journal(stage)
        #expect(journal.contains("went back to an older state, and sent only 2 of the 5 marks"), "\(journal)")

        #expect(try stage.library.accept(plan: PlanID("1"), at: stage.clock.timestamp))
        #expect(await stage.sync().isComplete)
        #expect(try places(stage, "l") == [1, 2, 11, 12, 13, 14, 15])
        #expect(try await lacks(stage) == [])
    }

    @Test @LoopActor func anOlderChartDoesNotTakeTheNewerOnesPlaceAndTheOthersOfThatPollStayToo() async throws {
        let stage = try await stage("1", "2")
        let whole = stage.service.plans
        for plan in stage.service.plans.indices { stage.service.plans[plan].charts[0] = Self.chart("a", "a of before", day: 12) }
        stage.service.plans[1].charts[1] = Self.chart("b2", "another", day: 19)
        stage.service.layers["1"]?[1] = Self.layer("m", on: "b1", [6], revision: 4)
        for _ in 0..<2 {
            let told = await stage.sync()
            #expect(told.setbacks.map(\.message).joined().contains("older than here"), "\(told.setbacks)")
            #expect(try stage.library.charts.chart(of: AttachmentID("a"))?.hash == Self.hash("a"))
            #expect(try stage.library.charts.chart(of: AttachmentID("b2"))?.hash == Self.hash("b"))
            #expect(try places(stage, "m", on: "b1") == [6, 7])
            #expect(Set(try await lacks(stage)) == ["held-back", "layer-doubted"])
            await stage.wait(for: .seconds(2 * 86_400))
        }
        #expect(try stage.library.plans.heldBack().map(\.sent.attachments.count) == [2, 2], "both are kept")
        #expect(try journal(stage).contains("the service sent a chart older than here"))
        // As if it had been an hour's mishap.
        if let mended = whole.first { stage.service.plans[0] = mended }
        stage.service.plans[1] = whole[1]
        stage.service.layers["1"]?[1] = Self.layer("m", on: "b1", [6, 7], revision: 5)
        #expect(await stage.sync().isComplete)
        #expect(try await lacks(stage) == [])
    }

    @Test @LoopActor func whoAcceptsTheOlderChartGetsItWithTheNextSync() async throws {
        let stage = try await stage("1")
        stage.service.plans[0].charts[0] = Self.chart("a", "a of before", day: 12)
        await stage.sync()
        #expect(try stage.library.accept(plan: PlanID("1"), at: stage.clock.timestamp))
        #expect(await stage.sync().isComplete)
        #expect(try stage.library.charts.chart(of: AttachmentID("a"))?.hash == Self.hash("a of before"))
        #expect(try await lacks(stage) == [])
    }
}
