import Catalogue
import ImageKeeping
import Library
import Model
import Platform
import Sync
import TestSupport
import Testing

@Suite(.onLoop)
struct PollTests {
    @Test @LoopActor func eachChangeIsToldOnceAndNothingIsFetchedTwice() async throws {
        let stage = try Stage(Stage.plans)
        let first = await stage.sync()
        #expect(first.isComplete && !first.changes.isEmpty)
        #expect(stage.told == first.changes)
        #expect(await stage.sync().changes.isEmpty)
        #expect(stage.told == first.changes)
        #expect(stage.service.opened.sorted() == ["1a", "2a"])
    }

    /// As many plans as `count`, an hour apart, with one chart each.
    private static func plans(_ count: Int) -> [SmallService.Plan] {
        (1...count).map { number in
            let day = 22 + number / 24
            return SmallService.Plan(
                id: "\(number)", startsAt: "2026-11-\(day)T\(number % 24 < 10 ? "0" : "")\(number % 24):00:00Z",
                charts: [SmallService.Chart(id: "\(number)a", name: "Song \(number)", bytes: SmallService.pdf("\(number)a"))])
        }
    }

    @Test @LoopActor func whatIsPlayedNextComesWholeBeforeTheOthersAreAskedFor() async throws {
        let stage = try Stage(Self.plans(100))
        var asked: [Int: Set<String>] = [:]
        var kept: [Int: Int] = [:]
        stage.onPlansRead = { done in
            asked[done] = (try? stage.library.service.askedPlans).map { Set($0.keys.map(\.text)) }
            kept[done] = try? stage.library.plans.all().count
        }
        #expect(await stage.sync().isComplete)
        // The plans of the same half day are played next.
        let next = Set((1...13).map(String.init))
        #expect(stage.service.opened.prefix(13).sorted() == next.map { $0 + "a" }.sorted())
        #expect(asked[1] == [] && asked[2] == ["1"] && asked[14] == next && asked[99] == next)
        #expect(kept[14] == 13 && kept[34] == 33 && kept[99] == 93, "whoever stops it has these")
        #expect(try stage.library.service.askedPlans.isEmpty && stage.library.lastPoll != nil)
        #expect(stage.service.opened.count == 100)
    }

    /// A leader may have a thousand plans, and reading them all exceeds the service's limit of requests in twenty seconds.
    @Test @LoopActor func ofAThousandPlansTheNextIsReadyWithinAMinute() async throws {
        var plans = Self.plans(200) + Self.plans(200) + Self.plans(200) + Self.plans(200) + Self.plans(200)
        for index in plans.indices { plans[index].id = "\(index + 1)" }
        plans[0].charts = (1...20).map { SmallService.Chart(id: "c\($0)", name: "Song \($0)", bytes: SmallService.pdf("\($0)")) }
        let stage = try Stage(plans)
        let begun = stage.clock.timestamp
        var ready: Duration?
        stage.onPlansRead = { _ in
            if ready == nil, (try? stage.library.service.askedPlans[PlanID("1")]) != nil { ready = stage.clock.timestamp - begun }
        }
        #expect(await stage.sync().isComplete)
        let seconds = try #require(ready).inSeconds
        print("of a thousand plans, the next is whole after \(seconds) s, all after \((stage.clock.timestamp - begun).inSeconds) s")
        #expect(seconds < 60)
    }

    /// If one entry is removed and another is added during reading, a third can move to a page that was already read, and the total
    /// number of entries stays the same.
    @Test @LoopActor func whatMovedToAnotherPageWhileItWasReadIsNotMissed() async throws {
        func chart(_ id: String) -> SmallService.Chart { SmallService.Chart(id: id, name: "Song \(id)", bytes: SmallService.pdf(id)) }
        var plan = Stage.plans[0]
        plan.charts = [chart("a"), chart("b")]
        let stage = try Stage([plan])
        stage.service.pageSize = 2
        await stage.sync()
        stage.service.plans[0].charts.append(chart("c"))
        var isDue = true
        stage.service.network.intercept = { request in
            if isDue, request.url.contains("all_attachments"), request.url.contains("offset=2") {
                isDue = false
                stage.service.plans[0].charts.removeFirst()
                stage.service.plans[0].charts.append(chart("d"))
            }
            return nil
        }
        await stage.sync()
        #expect(!isDue)
        #expect(try stage.library.plans.all().flatMap(\.attachments).map(\.id.text) == ["b", "c", "d"])
    }

    @Test @LoopActor func aPlanThatIsMovedAndCannotBeReadIsTheNextAllTheSame() async throws {
        let stage = try Stage(Stage.plans)
        #expect(await stage.sync().isComplete)
        let contents = try stage.library.plans.all()
        stage.service.plans[1].startsAt = "2026-11-21T20:00:00Z"
        stage.service.network.route(
            .get, "\(SmallService.api)/service_types/7/plans/2/items?include=song,arrangement,key&per_page=100", status: 500, "")
        #expect(await !stage.sync().isComplete)
        let after = try stage.library.plans.all()
        #expect(after.map(\.plan.id.text) == ["2", "1"])
        #expect(after[0].plan.firstTime == Timestamp("2026-11-21T20:00:00Z"))
        #expect(after[0].items == contents[1].items)
    }

    @Test @LoopActor func onlyTheNextPlanIsAskedFor() async throws {
        let stage = try Stage(Stage.plans, scope: .nextPlan)
        #expect(await stage.sync().setbacks.isEmpty)
        let requests = stage.service.network.requests.map(\.url)
        #expect(requests.contains { $0.contains("/plans/1/items") } && !requests.contains { $0.contains("/plans/2/") }, "\(requests)")
        #expect(try stage.library.service.askedPlans.keys.map(\.text) == ["1"])
        #expect(try stage.library.lastPoll == nil && stage.library.plans.onlyListed().map(\.plan.id.text) == ["2"])
    }

    @Test @LoopActor func whatAPollKeptIsThereForTheNextProcess() async throws {
        let stage = try Stage(Stage.plans)
        await stage.sync()
        let kept = try stage.library.plans.all()
        try await stage.stop()
        let next = try Stage([], in: stage.folder)
        #expect(try next.library.plans.all() == kept && kept.count == 2)
    }

    /// A poll may be due at the very moment when the agent stops. It must end without a request.
    @Test @LoopActor func aPollThatComesAfterTheEndAsksNothing() async throws {
        let stage = try Stage(Stage.plans)
        try await stage.stop()
        #expect(await stage.sync().isCancelled)
        #expect(stage.service.network.requests.isEmpty)
    }
}
