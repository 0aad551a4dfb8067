import Agent
import Glibc
import Library
import Model
import PageCache
import Platform
import Rendering
import TestSupport
import Testing

@testable import ImageKeeping

/// What goes when there is less room than there was, and what never does.
@Suite(.onLoop)
struct CacheTrimTests {
    private let folder = TemporaryFolder()

    /// Where an image stands in the order of removal: images of no plan, the past plan, then the farthest; within a plan
    /// thumbnails first.
    private func rank(_ name: ImageName, replaced: String) -> Int {
        if name.chart == replaced { return 0 }
        let places = [(plan: 0, rank: 1), (plan: 3, rank: 3), (plan: 2, rank: 5), (plan: 1, rank: 7)]
        for place in places where Season.plans[place.plan].charts.contains(where: { Season.folder(of: $0) == name.chart }) {
            return place.rank + (name.variant == .thumbnail || place.plan == 0 ? 0 : 1)
        }
        return 1
    }

    @Test @LoopActor func imagesGoInTheOrderOfTheirWorth() async throws {
        var plans = Season.plans
        let first = try Season.start(in: folder)
        await first.sync()
        let replaced = Season.folder(of: plans[1].charts[0])
        plans[1].charts[0] = SmallService.Chart(
            id: "2a", name: "Song 2a", bytes: SmallService.pdf("new edition"), updatedAt: "2026-11-20T10:00:00Z")
        first.service.plans = plans
        await first.sync()
        #expect(first.cache.present().count == 36)
        await first.agent.stop()

        // The first plan is over; the second one comes next.
        let next = Set(plans[1].charts.map { Season.folder(of: $0) })
        func place(_ name: ImageName) -> Int {
            if next.contains(name.chart) { return name.variant == .thumbnail ? 7 : 8 }
            return rank(name, replaced: replaced)
        }
        var before = first.cache.present()
        var removedAtLast = 0
        for room in [35, 30, 25, 20, 15, 12, 8, 4, 3].map({ $0 * Season.planBytes / 8 }) {
            let stage = try Season.start(in: folder, Season.settings(room: room), plans: plans)
            stage.clock.wallTimeAtStart += .seconds(3 * 86_400)
            await stage.sync()
            let after = stage.cache.present()
            #expect(after.isSubset(of: before))
            #expect(await stage.measured() <= room / 9 * 10 + 10)
            let removed = before.subtracting(after).map(place)
            #expect(removed.max() ?? 0 <= after.map(place).min() ?? 9, "at \(room)")
            removedAtLast = max(removedAtLast, removed.max() ?? 0)
            #expect(stage.begun.isEmpty)
            before = after
            await stage.agent.stop()
        }
        #expect(removedAtLast == 8, "also the next plan's pages, when nothing else is left")
        #expect(before.allSatisfy { place($0) == 8 } && !before.isEmpty)
    }

    @Test @LoopActor func pinnedPlansStayAlsoWhenTheyAloneAreTooMuch() async throws {
        let first = try Season.start(in: folder)
        await first.sync()
        try first.library.plans.pin(PlanID("4"))
        let pinned = Season.images(of: Season.plans[3], in: first)
        await first.agent.stop()

        let second = try Season.start(in: folder, Season.settings(room: Season.planBytes / 2))
        await second.sync()
        for _ in 0..<4 { await second.settle() }
        await second.wait(for: .seconds(5 * 3600))
        #expect(second.cache.present() == pinned)
        #expect(second.begun.isEmpty)
        #expect(
            second.logged.count { $0.contains("images of pinned plans, and of charts whose files are not here, take up") } == 1,
            "\(second.logged)")
        #expect(second.agent.keeper.complaint?.contains("unpin a plan, fetch the files with a sync, or raise cache.limit") == true)
        #expect(try await second.states().prefix(6).allSatisfy { $0 == "no room" })
        #expect(try await second.states().suffix(2) == ["ready", "ready"])

        // One that comes and goes changes the sum, but is no news.
        let victim = try #require(pinned.sorted().first)
        unlink(second.cache.path(of: victim))
        await second.settle()
        await second.settle()
        #expect(
            second.logged.count { $0.contains("images of pinned plans, and of charts whose files are not here, take up") } == 1,
            "\(second.logged)")
    }

    @Test @LoopActor func whatIsNoLongerPinnedGoesAtOnce() async throws {
        let first = try Season.start(in: folder)
        await first.sync()
        try first.library.plans.pin(PlanID("4"))
        let pinned = Season.images(of: Season.plans[3], in: first)
        await first.agent.stop()

        let second = try Season.start(in: folder, Season.settings(room: Season.planBytes / 2))
        await second.sync()
        #expect(second.cache.present() == pinned)
        try second.library.plans.unpin(PlanID("4"))
        await second.settle()
        #expect(second.cache.present().isDisjoint(with: pinned), "nothing holds them any more")
        #expect(await second.measured() <= Season.planBytes / 2)
        await second.settle()
        #expect(second.agent.keeper.complaint == nil)
        // Now the nearest plan gets the room.
        #expect(second.cache.present() == Season.images(of: Season.plans[0], in: second))
        #expect(second.cache.present().count >= 2)
    }

    @Test @LoopActor func onlyWhatNoPlanNeedsGoesForItsAge() async throws {
        let first = try Season.start(in: folder)
        await first.sync()
        await first.agent.stop()
        let settings = Season.settings(room: 100_000_000, greatestAge: .seconds(86_400))
        let second = try Season.start(in: folder, settings)
        // Files are stamped with the machine's time, which the day of the test is far from.
        var times = [timespec(tv_sec: 1_795_251_600, tv_nsec: 0), timespec(tv_sec: 1_795_251_600, tv_nsec: 0)]
        for name in second.cache.present() { utimensat(AT_FDCWD, second.cache.path(of: name), &times, 0) }
        second.clock.wallTimeAtStart += .seconds(3 * 86_400)
        await second.sync()
        #expect(Season.images(of: Season.plans[0], in: second).isEmpty)
        #expect(second.cache.present().count == 24)
        #expect(second.begun.isEmpty)
    }
}
