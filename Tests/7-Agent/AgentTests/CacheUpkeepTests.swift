import Agent
import Glibc
import Library
import Model
import PageCache
import Platform
import Rendering
import TestSupport
import Testing

/// Changes that others make to the cache while an agent maintains it.
@Suite(.onLoop)
struct CacheUpkeepTests {
    private let folder = TemporaryFolder()

    /// An agent that has made all images and keeps running.
    @LoopActor
    private func settled(_ settings: AgentSettings = Season.roomy) async throws -> Stage {
        let stage = try Season.start(in: folder, settings)
        stage.stay()
        await stage.sync()
        _ = stage.newJobs()
        return stage
    }

    // MARK: Deletions

    @Test @LoopActor func deletedFileIsMadeAgainAsSoonAsItIsTold() async throws {
        let stage = try await settled()
        let victim = try #require(Season.images(of: Season.plans[1], in: stage).sorted().first)
        unlink(stage.cache.path(of: victim))
        await stage.settleAsTold()
        #expect(stage.newJobs().isEmpty)
        stage.events.send(.removed(stage.cache.path(of: victim)))
        await stage.settleAsTold()
        #expect(stage.newJobs().flatMap { $0.outputs.map(\.variant) } == [victim.variant])
        #expect(stage.cache.intactPath(of: victim) != nil)
    }

    @Test @LoopActor func missedNamesAreLookedFor() async throws {
        let stage = try await settled()
        let victims = Season.images(of: Season.plans[2], in: stage)
        for victim in victims { unlink(stage.cache.path(of: victim)) }
        stage.events.send(.rescan(stage.cache.folder))
        await stage.settleAsTold()
        #expect(stage.newJobs().flatMap(\.outputs).count == victims.count)
    }

    @Test @LoopActor func deletionThatNobodyTellsIsFoundWithinTheHour() async throws {
        let stage = try await settled()
        await stage.wait(for: .seconds(7200))
        #expect(stage.newJobs().isEmpty)
        let victim = try #require(stage.cache.present().sorted().first)
        unlink(stage.cache.path(of: victim))
        await stage.wait(for: .seconds(3601))
        await stage.settleAsTold()
        #expect(stage.newJobs().count == 1)
        #expect(stage.cache.intactPath(of: victim) != nil)
    }

    @Test @LoopActor func imageThatWasWrittenIntoIsFoundWithinTheHour() async throws {
        let stage = try await settled()
        let victim = try #require(Season.images(of: Season.plans[0], in: stage).sorted().first)
        let file = open(stage.cache.path(of: victim), O_WRONLY | O_TRUNC)
        #expect(file >= 0)
        close(file)
        await stage.wait(for: .seconds(3700))
        #expect(stage.newJobs().flatMap { $0.outputs.map(\.variant) } == [victim.variant])
        #expect(stage.cache.intactPath(of: victim) != nil)
    }

    @Test @LoopActor func whatTheAgentTrimsItselfIsNoNews() async throws {
        let first = try Season.start(in: folder)
        await first.sync()
        await first.agent.stop()
        let stage = try await settled(Season.settings(room: 2 * Season.planBytes))
        let trimmed = first.cache.present().subtracting(stage.cache.present())
        #expect(!trimmed.isEmpty)
        let said = stage.logged.count
        for name in trimmed { stage.events.send(.removed(stage.cache.path(of: name))) }
        for chart in Set(trimmed.map(\.chart)) { stage.events.send(.folderRemoved(stage.cache.folder + "/pages/" + chart)) }
        await stage.settleAsTold()
        #expect(stage.newJobs().isEmpty)
        #expect(stage.logged.count == said)
    }

    @Test @LoopActor func afterTheEndNobodyIsListenedTo() async throws {
        let stage = try await settled()
        await stage.agent.stop()
        let victim = try #require(stage.cache.present().sorted().first)
        unlink(stage.cache.path(of: victim))
        stage.events.send(.removed(stage.cache.path(of: victim)))
        await stage.wait(for: .seconds(8000))
        #expect(stage.newJobs().isEmpty)
        #expect(!stage.logged.contains { $0.contains("closed") }, "\(stage.logged)")
    }

    // MARK: Locked folders

    /// Whether a chart's folder is locked; systemd-tmpfiles respects such a lock.
    @LoopActor
    private func isHeld(_ chart: SmallService.Chart, in stage: Stage) throws -> Bool {
        let folder = try Descriptor.open(stage.cache.folder + "/pages/" + Season.folder(of: chart), O_RDONLY | O_DIRECTORY)
        guard flock(folder.number, LOCK_EX | LOCK_NB) == 0 else { return true }
        flock(folder.number, LOCK_UN)
        return false
    }

    @Test @LoopActor func foldersOfComingPlansAreHeldFromWhenTheyAreThereToTheEnd() async throws {
        let stage = try await settled()
        for plan in Season.plans { for chart in plan.charts { #expect(try isHeld(chart, in: stage)) } }

        let path = stage.cache.folder + "/pages/" + Season.folder(of: Season.plans[0].charts[0])
        TemporaryFolder.empty(path)
        #expect(rmdir(path) == 0)
        stage.events.send(.folderRemoved(path))
        await stage.settleAsTold()
        #expect(try isHeld(Season.plans[0].charts[0], in: stage), "made anew, held anew")

        // The first plan is over.
        stage.clock.wallTimeAtStart += .seconds(3 * 86_400)
        await stage.settle()
        #expect(try !isHeld(Season.plans[0].charts[0], in: stage))
        #expect(try isHeld(Season.plans[1].charts[0], in: stage))

        await stage.agent.stop()
        for plan in Season.plans { for chart in plan.charts { #expect(try !isHeld(chart, in: stage)) } }
    }

    @Test @LoopActor func oneRunHoldsNothing() async throws {
        let stage = try Season.start(in: folder)
        await stage.sync()
        #expect(try !isHeld(Season.plans[0].charts[0], in: stage))
    }

    // MARK: Memory

    @Test @LoopActor func shortMemoryEmptiesTheTierAndRestsTheRenderer() async throws {
        let stage = try await settled()
        let names = Array(stage.cache.present().sorted().prefix(3))
        await stage.agent.memory.show(names)
        #expect(stage.agent.memory.names == Set(names))
        stage.agent.easeMemory()
        #expect(stage.agent.memory.names.isEmpty && stage.agent.memory.size == ByteCount(0))
        #expect(stage.renderer.restCount == 1)
        // The next request only takes longer: the image is read from the disk again.
        #expect(try await stage.agent.memory.bytes(of: names[0])?.count ?? 0 >= Season.thumbnailBytes)
        stage.service.plans[0].charts[0].bytes = SmallService.pdf("new edition")
        stage.service.plans[0].charts[0].updatedAt = "2026-11-20T10:00:00Z"
        await stage.sync()
        #expect(try await stage.agent.planTable().isComplete)
    }
}
