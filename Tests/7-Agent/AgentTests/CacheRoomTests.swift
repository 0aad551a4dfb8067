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

/// If not all wanted images fit, the images of the farthest plans are not made, and no image is made twice.
@Suite(.onLoop)
struct CacheRoomTests {
    private let folder = TemporaryFolder()

    @Test @LoopActor func farthestImagesAreNotMadeAndTheTableSaysSo() async throws {
        let room = 2 * Season.planBytes + Season.pageBytes
        let stage = try Season.start(in: folder, Season.settings(room: room))
        await stage.sync()
        #expect(try await stage.states().prefix(4) == ["ready", "ready", "ready", "ready"])
        #expect(try await stage.states().suffix(2) == ["no room", "no room"])
        #expect(Season.images(of: Season.plans[3], in: stage).isEmpty)
        #expect(await stage.measured() <= room)
        #expect(await stage.measured() > room - Season.fullBytes, "what fits is made")
        await stage.settle()
        await stage.settle()
        #expect(stage.logged.count { $0.contains("no room") } == 1, "it is told once: \(stage.logged)")
        #expect(stage.logged.contains { $0.contains("leaves no room for") && $0.contains("raise cache.limit") }, "\(stage.logged)")
        #expect(stage.agent.tally.failed == 0)
    }

    /// At the first check no sizes are known, and estimates may be too high; the images that fit must still be made in the same run.
    @Test @LoopActor func smallImagesAreMadeInOneRunAsFarAsTheyFit() async throws {
        let stage = try Season.start(in: folder, Season.settings(room: 4 * Season.planBytes))
        await stage.sync()
        #expect(try await stage.agent.planTable().isComplete)
    }

    @Test @LoopActor func higherLimitHasTheRestMadeAndNothingElse() async throws {
        let first = try Season.start(in: folder, Season.settings(room: 2 * Season.planBytes))
        await first.sync()
        await first.agent.stop()
        let second = try Season.start(in: folder)
        await second.sync()
        #expect(try await second.agent.planTable().isComplete)
        #expect(Set(first.begun).isDisjoint(with: second.begun))
        #expect(first.begun.count + second.begun.count == 32)
    }

    // MARK: A narrowed sync

    @Test @LoopActor func narrowedSyncTrimsNothingThatNearerPlansNeed() async throws {
        let first = try Season.start(in: folder)
        await first.sync()
        let (near, far) = (Season.images(of: Season.plans[0], in: first), Season.images(of: Season.plans[3], in: first))
        await first.agent.stop()
        // Only the last plan is requested, and there is room for a plan and a half.
        let room = Season.planBytes * 3 / 2
        let second = try Season.start(in: folder, Season.settings(room: room, scope: .plan(PlanID("4"))))
        await second.sync()
        #expect(second.cache.present().isSuperset(of: near))
        #expect(second.cache.present().isDisjoint(with: far))
        #expect(second.begun.isEmpty)
        #expect(try await second.states() == ["no room", "no room"])
    }

    @Test @LoopActor func narrowedSyncLeavesRoomForNearerPlansThatAreStillToCome() async throws {
        let room = Season.planBytes * 3
        let stage = try Season.start(in: folder, Season.settings(room: room, scope: .plan(PlanID("2"))))
        await stage.sync()
        #expect(try await stage.agent.planTable().isComplete)
        #expect(stage.cache.present() == Season.images(of: Season.plans[1], in: stage))
        #expect(stage.cache.present().count == 8)
    }
}
