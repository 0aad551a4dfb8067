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

/// What is wanted does not fit: the farthest is not made at all, and nothing is made twice for it.
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

    /// At the first look nothing is known of the sizes; what is guessed too large must not keep anything out for an hour.
    @Test @LoopActor func smallImagesAreMadeInOneRunAsFarAsTheyFit() async throws {
        let stage = try Season.start(in: folder, Season.settings(room: 4 * Season.planBytes))
        await stage.sync()
        #expect(try await stage.agent.planTable().isComplete)
    }

    @Test @LoopActor func nothingIsMadeTwiceByHintsAndRestarts() async throws {
        let settings = Season.settings(room: 2 * Season.planBytes + Season.pageBytes)
        var begun: [ImageKey] = []
        var present: Set<ImageName>?
        for _ in 0..<3 {
            let stage = try Season.start(in: folder, settings)
            await stage.sync()
            for _ in 0..<5 { await stage.settle() }
            begun += stage.begun
            #expect(present == nil || present == stage.cache.present())
            present = stage.cache.present()
            await stage.agent.stop()
        }
        #expect(Set(begun).count == begun.count)
        #expect(begun.count == present?.count)
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

    /// Images of sizes that nobody could guess: some are made and found too large, but each only once.
    @Test(arguments: 0..<12) @LoopActor func wrongGuessesCostEachImageOnceAtMost(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let settings = Season.settings(room: Int.random(in: 200_000...4_000_000, using: &random))
        let most = Int.random(in: 1...60, using: &random)
        let size = { @LoopActor (output: PageJob.Output) in
            (output.variant == .thumbnail ? 1 : 10) * 1024 * (1 + Int(output.key.digest.bytes[1]) % most)
        }
        var begun: [ImageKey] = []
        var last: Set<ImageName>?
        for run in 0..<4 {
            let stage = try Season.start(in: folder, settings)
            stage.renderer.leastBytes = size
            await stage.sync()
            for _ in 0..<3 { await stage.settle() }
            begun += stage.begun
            #expect(await ByteCount(stage.measured()) <= settings.cache.limit ?? ByteCount(0))
            #expect(run == 0 || stage.begun.isEmpty, "all was known after the first run")
            #expect(last == nil || last == stage.cache.present())
            last = stage.cache.present()
            await stage.agent.stop()
        }
        #expect(Set(begun).count == begun.count)
    }

    // MARK: A narrowed sync

    @Test @LoopActor func narrowedSyncTrimsNothingThatNearerPlansNeed() async throws {
        let first = try Season.start(in: folder)
        await first.sync()
        let (near, far) = (Season.images(of: Season.plans[0], in: first), Season.images(of: Season.plans[3], in: first))
        await first.agent.stop()
        // The last plan alone is asked for, and there is room for a plan and a half.
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
