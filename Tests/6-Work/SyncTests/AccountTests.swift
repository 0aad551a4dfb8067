import Catalogue
import Library
import Model
import Platform
import TestSupport
import Testing

@testable import Sync

/// The account that plans belong to.
@Suite(.onLoop)
struct AccountTests {
    private static func plan(_ id: String, charts: [String]) -> SmallService.Plan {
        SmallService.Plan(
            id: id, startsAt: "2026-11-22T10:00:00Z",
            charts: charts.map { SmallService.Chart(id: $0, name: "Song \($0)", bytes: SmallService.pdf($0)) })
    }

    /// In one library, the plans of a second church would look like changes to the first church's plans.
    @Test(arguments: [("104", "8"), ("205", "7"), ("205", nil)])
    @LoopActor func anotherAccountChangesNothingUntilSomebodySaysThatItIsMeant(person: String, organisation: String?) async throws {
        let first = try Stage([Self.plan("1", charts: ["a"])])
        #expect(await first.sync().isComplete)
        let before = try first.library.plans.all()
        try await first.stop()

        // In another account, the same ids belong to other plans and songs.
        var plan = Self.plan("1", charts: ["a", "b"])
        plan.charts[0].name = "Another song"
        let stage = try Stage([plan, Self.plan("2", charts: ["c"])], in: first.folder)
        (stage.service.person, stage.service.organisation) = (person, organisation)
        for _ in 0..<2 {
            let outcome = await stage.sync()
            #expect(outcome.setbacks.count == 1 && outcome.changes.isEmpty)
            #expect(outcome.setbacks.first?.message.contains("the token belongs to Ann (\(person))") == true, "\(outcome.setbacks)")
            #expect(try stage.library.plans.all() == before)
            let failing = try #require(try stage.library.service.failingPolls)
            #expect(failing.reason.contains("accept --account") && failing.brief?.contains("accept --account") == false)
            #expect(failing.brief.map { failing.reason.hasPrefix($0) } == true, "\(failing)")
            await stage.wait(for: .seconds(7200))
        }
        #expect(stage.service.opened.isEmpty, "no file is asked for")
        #expect(
            try Library.change(in: stage.library.folder) { library throws(LibraryError) in try library.service.acceptAccount() }?.person.id
                == person)
        #expect(try Library.change(in: stage.library.folder) { library throws(LibraryError) in try library.service.acceptAccount() } == nil)
        #expect(await stage.sync().isComplete)
        #expect(try stage.library.plans.all().map(\.plan.id.text).sorted() == ["1", "2"])
    }

    /// Neither an organisation that the service does not name for a while nor a service without the resource `me` makes another
    /// account.
    @Test @LoopActor func anAccountThatIsNotNamedIsNoOther() async throws {
        let first = try Stage([Self.plan("1", charts: ["a"])])
        #expect(await first.sync().isComplete)
        try await first.stop()
        let stage = try Stage([Self.plan("1", charts: ["a"])], in: first.folder)
        stage.service.organisation = nil
        #expect(await stage.sync().isComplete)
        #expect(try stage.library.service.account?.organisation?.id == "7", "what was known stays known")
        try await stage.stop()
        for (status, isFine) in [(404, true), (403, true), (401, true), (503, false), (200, false)] {
            let next = try Stage([Self.plan("1", charts: ["a"])], in: first.folder)
            next.service.network.route(
                .get, "https://service.test/current/v2/me?include=organization", status: status, "<html>")
            #expect(await next.sync().isComplete == isFine, "\(status)")
            try await next.stop()
        }
    }

    /// Without the resource `me`, the person alone identifies the account. A service that never had the resource may answer with
    /// any status.
    @Test(arguments: [404, 403, 500]) @LoopActor func whoNobodyNamesIsToldByThePersonAlone(status: Int) async throws {
        let me = "https://service.test/current/v2/me?include=organization"
        let first = try Stage([Self.plan("1", charts: ["a"])])
        first.service.network.route(.get, me, status: status, "no")
        #expect(await first.sync().isComplete)
        #expect(try first.library.service.account?.person.id == "104")
        try await first.stop()
        let stage = try Stage([Self.plan("2", charts: ["b"])], in: first.folder)
        stage.service.network.route(.get, me, status: status == 500 ? 404 : status, "no")
        stage.service.person = "205"
        #expect(await !stage.sync().isComplete)
        #expect(try stage.library.plans.all().map(\.plan.id.text) == ["1"])
    }
}
