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

/// If a write finds no room, a less wanted image is removed and the page tried once more; then the full disk is reported.
@Suite(.onLoop)
struct FullDiskTests {
    private let folder = TemporaryFolder()

    /// An agent with all images, except those of the first page of `plan`.
    @LoopActor
    private func stage(without plan: Int) async throws -> Stage {
        let first = try Season.start(in: folder)
        await first.sync()
        await first.agent.stop()
        let stage = try Season.start(in: folder)
        for name in Season.images(of: Season.plans[plan], in: stage)
        where name.chart == Season.folder(of: Season.plans[plan].charts[0]) && name.page.value == 0 {
            unlink(stage.cache.path(of: name))
        }
        stage.stay()
        return stage
    }

    /// Makes the next `times` jobs fail for want of room.
    @LoopActor
    private func fail(_ stage: Stage, times: Int, _ code: Int32 = ENOSPC) {
        var left = times
        stage.renderer.verdict = { _ in
            left -= 1
            return left >= 0 ? .failure(.cannotWrite(code)) : .success(PageOutcome())
        }
    }

    @Test @LoopActor func whatPassesIsComplainedOfAndTriedAgain() async throws {
        let stage = try await stage(without: 1)
        stage.renderer.verdict = { _ in .failure(.cannotWrite(EIO)) }
        await stage.sync()
        let since = stage.clock.timestamp
        let complaints = stage.agent.report(version: "1", since: since).complaints
        #expect(complaints.count == 1 && complaints[0].contains("could not be made"), "\(complaints)")
        stage.renderer.verdict = { _ in .success(PageOutcome()) }
        await stage.wait(for: .seconds(700))
        #expect(stage.agent.report(version: "1", since: since).complaints.isEmpty)
        #expect(stage.agent.tally.failed == 0)
    }

    @Test(arguments: [ENOSPC, EDQUOT]) @LoopActor func worseImagesGoAtOnceAndThePageIsTriedOnceMore(code: Int32) async throws {
        let stage = try await stage(without: 1)
        let before = stage.cache.present()
        fail(stage, times: 1, code)
        await stage.sync()
        #expect(stage.begun.count == 4 && Set(stage.begun).count == 2)
        #expect(stage.agent.tally.failed == 0)
        let better = Season.images(of: Season.plans[0], in: stage)
        #expect(better.count == 8, "nearer plans keep theirs")
        #expect(stage.cache.present().subtracting(before).isEmpty)
        #expect(stage.cache.present().count < before.count)
        let page = Season.images(of: Season.plans[1], in: stage).filter { $0.chart == Season.folder(of: Season.plans[1].charts[0]) }
        #expect(page.contains { $0.page.value == 0 && $0.variant == .plain })
        // The removed image is not made again on the same full disk.
        _ = stage.newJobs()
        await stage.settle()
        #expect(stage.newJobs().isEmpty)
        #expect(try await stage.states().suffix(2) == ["no room", "no room"])
    }

    @Test(arguments: [ENOSPC, EDQUOT]) @LoopActor func onceMoreIsAllThenItIsToldAndComesBackByItself(code: Int32) async throws {
        let stage = try await stage(without: 1)
        fail(stage, times: 2, code)
        await stage.sync()
        #expect(stage.begun.count == 4 && Set(stage.begun).count == 2)
        #expect(stage.agent.tally.failed == 2)
        let states = try await stage.states()
        #expect(states[2] == RenderFailure.cannotWrite(code).description)
        #expect(states.prefix(2) == ["ready", "ready"])
        #expect(stage.logged.contains { $0.contains("could not be rendered") && $0.contains(String(cString: strerror(code))) })
        #expect(try stage.library.images.faults().isEmpty, "a full disk says nothing about the page")
        // Until the disk counts as usable again, further checks write nothing.
        _ = stage.newJobs()
        await stage.settle()
        await stage.settle()
        #expect(stage.newJobs().isEmpty)
        #expect(stage.logged.contains { $0.contains("the disk takes no more, though it reports") }, "\(stage.logged)")

        await stage.wait(for: CacheKeeper.fullLasts)
        await stage.settleAsTold()
        #expect(try await stage.agent.planTable().isComplete)
        #expect(stage.agent.tally.failed == 0)
    }

    /// Two pages find the disk full at the same time; the room made for one serves both.
    @Test @LoopActor func roomThatAnotherPageMadeCountsToo() async throws {
        let stage = try await stage(without: 0)
        for name in Season.images(of: Season.plans[0], in: stage) where name.page.value == 1 { unlink(stage.cache.path(of: name)) }
        fail(stage, times: 2)
        await stage.sync()
        #expect(stage.agent.tally.failed == 0, "\(stage.logged)")
        #expect(Season.images(of: Season.plans[0], in: stage).count >= 6)
        #expect(stage.logged.count { $0.hasPrefix("trimmed the page cache") } == 1)
        // The images that were removed to make room are made again once the disk may have room.
        await stage.wait(for: CacheKeeper.fullLasts + .seconds(60))
        await stage.settleAsTold()
        #expect(try await stage.agent.planTable().isComplete)
    }

    @Test @LoopActor func betterImagesNeverGoForWorseOnes() async throws {
        let stage = try await stage(without: 3)
        // The missing page is the last plan's, so only that plan's thumbnails and later pages are worth less.
        fail(stage, times: 100)
        let better = (0..<3).map { Season.images(of: Season.plans[$0], in: stage) }
        await stage.sync()
        for (plan, images) in zip(Season.plans, better) {
            #expect(Season.images(of: plan, in: stage) == images)
        }
        #expect(stage.begun.count <= 4)
        #expect(try await stage.states()[6] == RenderFailure.cannotWrite(ENOSPC).description)
    }

    @Test @LoopActor func pageWithNothingWorseIsTriedOnce() async throws {
        let stage = try Season.start(in: folder, plans: [Season.plans[0]])
        stage.service.plans[0].charts = [Season.plans[0].charts[0]]
        fail(stage, times: 100)
        await stage.sync()
        #expect(Set(stage.begun).count == stage.begun.count, "nothing was given back, so nothing is tried again")
        #expect(stage.agent.tally.failed == 4)
    }

    /// All wanted images fail, one after the other; the wait counts from the last failure.
    @Test @LoopActor func wholeRunThatFailedComesBackByItself() async throws {
        let stage = try Season.start(in: folder)
        stage.stay()
        fail(stage, times: .max)
        await stage.sync()
        #expect(stage.agent.tally.failed >= 8)
        #expect(try await stage.states().allSatisfy { $0 != "ready" })
        fail(stage, times: 0)
        await stage.wait(for: CacheKeeper.fullLasts + .seconds(60))
        await stage.settleAsTold()
        #expect(try await stage.agent.planTable().isComplete)
    }

    /// A running agent receives no event when a plan is pinned, but must not remove the plan's images from then on.
    @Test @LoopActor func imagesThatArePinnedMeanwhileNeverGoForAFullDisk() async throws {
        let stage = try await stage(without: 0)
        let pinned = Season.images(of: Season.plans[3], in: stage)
        var isPinned = false
        stage.renderer.verdict = { [library = stage.library] _ in
            if !isPinned { _ = try? library.plans.pin(PlanID("4")) }
            isPinned = true
            return .failure(.cannotWrite(ENOSPC))
        }
        await stage.sync()
        #expect(isPinned)
        #expect(Season.images(of: Season.plans[3], in: stage) == pinned)
    }
}
