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

/// The images that are removed when there is less room than before, and the images that never are.
@Suite(.onLoop)
struct CacheTrimTests {
    private let folder = TemporaryFolder()

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

        // A removed image that is made again changes the total, but the shortage of room is not logged again.
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
        // Now the nearest plan's images get the room.
        #expect(second.cache.present() == Season.images(of: Season.plans[0], in: second))
        #expect(second.cache.present().count >= 2)
    }
}
