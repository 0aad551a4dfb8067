import Agent
import Library
import Model
import PlanningCenter
import Platform
import Readiness
import TestSupport
import Testing

@testable import Sync

/// Plans that the service lists while it does not send their contents.
@Suite(.onLoop)
struct UnreadPlanTests {
    nonisolated private static let place = "https://service.test/services/v2/service_types/7/plans"

    @LoopActor private func withhold(_ part: String, of plan: String, on stage: Stage, status: Int = 500, _ body: String = "") {
        let query = part == "items" ? "include=song,arrangement,key&per_page=100" : "per_page=100"
        stage.service.network.route(.get, "\(Self.place)/\(plan)/\(part)?\(query)", status: status, body)
    }

    /// A service with one plan that was read, and one on the day before it that is listed.
    @LoopActor private func stage(withholding part: String, status: Int = 500, _ body: String = "") async throws -> Stage {
        let stage = try Stage([Season.plans[0]])
        #expect(await stage.sync().isComplete)
        #expect(try await stage.agent.readiness().isReady)
        stage.service.plans.append(
            SmallService.Plan(id: "new", startsAt: "2026-11-21T20:00:00Z", charts: [Season.chart("n")]))
        withhold(part, of: "new", on: stage, status: status, body)
        return stage
    }

    nonisolated private static let faults: [(part: String, status: Int, body: String)] = [
        ("items", 500, ""), ("items", 404, ""), ("items", 200, #"{"errors":[{"title":"x"}]}"#), ("all_attachments", 403, ""),
        ("all_attachments", 200, #"{"data":[],"included":[],"links":{},"meta":{"total_count":1,"count":0}}"#),
    ]

    @Test(arguments: 0..<faults.count) @LoopActor func aPlanThatIsListedAndCannotBeReadIsTheNextOneAndNotReady(fault: Int) async throws {
        let (part, status, body) = Self.faults[fault]
        let stage = try await stage(withholding: part, status: status, body)
        #expect(await !stage.sync().isComplete)
        let report = try await stage.agent.readiness()
        #expect(report.plans.map(\.plan.id.text) == ["new", "1"])
        #expect(report.plans.map(\.isReady) == [false, true])
        let lacks = report.plans.first?.lacks ?? []
        #expect(lacks.map(\.name) == ["plan-unread"])
        #expect(lacks.map(\.sentence).joined().contains("could not be fetched"))
        // The viewer lists it, too.
        #expect(try stage.agent.plansKeptReady().map(\.plan.id.text) == ["new", "1"])
        // It is no plan of the library yet.
        #expect(try stage.library.plans.all().map(\.plan.id.text) == ["1"])
        let since = try #require(try stage.library.plans.unread().first?.since)
        await stage.wait(for: .seconds(600))
        await stage.sync()
        #expect(try stage.library.plans.unread().map(\.since) == [since])
    }

    @Test(arguments: [false, true]) @LoopActor func itIsRememberedUntilItIsReadOrNoLongerListed(isRead: Bool) async throws {
        let stage = try await stage(withholding: "items")
        await stage.sync()
        // A service that does not answer at all has not withdrawn anything.
        stage.service.network.failure = HTTPFailure(.unreachable, "no answer")
        await stage.sync()
        #expect(try await stage.agent.readiness().isReady == false)
        stage.service.network.failure = nil
        if isRead {
            stage.service.network.route(
                .get, "\(Self.place)/new/items?include=song,arrangement,key&per_page=100",
                #"{"data":[{"type":"Item","id":"inew-0","attributes":{"title":"n","sequence":1},"relationships":{}}],"links":{}}"#)
        } else {
            stage.service.plans.removeLast()
        }
        #expect(await stage.sync().isComplete)
        #expect(try stage.library.plans.unread() == [])
        let report = try await stage.agent.readiness()
        #expect(report.isReady)
        #expect(report.plans.map(\.plan.id.text) == (isRead ? ["new", "1"] : ["1"]))
    }

    @Test @LoopActor func aPlanThatIsMovedAndCannotBeReadIsNotReady() async throws {
        let stage = try Stage(Array(Season.plans.prefix(2)))
        #expect(await stage.sync().isComplete)
        stage.service.plans[1].startsAt = "2026-11-21T20:00:00Z"
        withhold("items", of: "2", on: stage)
        for _ in 0..<2 {
            await stage.sync()
            let report = try await stage.agent.readiness()
            #expect(report.plans.map(\.plan.id.text) == ["2", "1"])
            #expect(report.plans.map(\.isReady) == [false, true])
            #expect(report.plans.first?.charts.map(\.isReady) == [true, true])
        }
    }

    /// Its charts here count for as long as the last full answer does.
    @Test @LoopActor func aKnownPlanThatCannotBeReadForOnceStaysReady() async throws {
        let stage = try Stage(Array(Season.plans.prefix(2)))
        #expect(await stage.sync().isComplete)
        withhold("items", of: "2", on: stage)
        #expect(await !stage.sync().isComplete)
        #expect(try await stage.agent.readiness().isReady)
    }

    @Test @LoopActor func aSyncThatIsInterruptedLeavesNoPlanUnsaid() async throws {
        let stage = try await stage(withholding: "layers")
        stage.service.network.intercept = { request in
            request.url.contains("/plans/new/") ? HTTPFailure(.cancelled, "cancelled") : nil
        }
        await stage.sync()
        let report = try await stage.agent.readiness()
        #expect(report.plans.map(\.plan.id.text) == ["new", "1"])
        #expect(!report.isReady)
    }

    /// A year back, and nothing else shows the date: it is listed as upcoming, so it may be the next one.
    @Test @LoopActor func aListedPlanThatSeemsToBeOverIsNotPassedOver() async throws {
        let stage = try Stage([Season.plans[0]])
        #expect(await stage.sync().isComplete)
        stage.service.plans.append(
            SmallService.Plan(id: "new", startsAt: "2025-11-21T20:00:00Z", charts: [Season.chart("n")]))
        await stage.sync()
        let report = try await stage.agent.readiness()
        #expect(report.plans.map(\.plan.id.text) == ["1", "new"])
        #expect(!report.isReady)
        #expect(report.plans.last?.lacks.map(\.sentence).joined().contains("all its times are over") == true)
    }

    @Test @LoopActor func aScheduleThatDoesNotSayWhichPlanItIsForIsNotPassedOver() async throws {
        let stage = try Stage([Season.plans[0]])
        #expect(await stage.sync().isComplete)
        let list = "https://service.test/services/v2/people/104/schedules?filter=future&order=starts_at&include=plan_times&per_page=100"
        let time = #"{"type":"PlanTime","id":"t","attributes":{"starts_at":"2026-11-21T20:00:00Z"}}"#
        let times = #"{"plan_times":{"data":[{"type":"PlanTime","id":"t"}]}}"#
        let odd = #"{"type":"Schedule","id":"9","attributes":{"status":"C"},"relationships":\#(times)}"#
        stage.service.network.route(.get, list, #"{"data":[\#(odd)],"included":[\#(time)],"links":{}}"#)
        await stage.sync()
        let report = try await stage.agent.readiness()
        #expect(report.plans.map(\.plan.id.text) == ["schedule 9", "1"])
        #expect(report.plans.map(\.isReady) == [false, true])
    }
}
