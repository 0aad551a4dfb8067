import Agent
import Glibc
import Library
import Model
import PageCache
import Platform
import Rendering
import TestSupport
import Testing

/// What became of images is remembered from run to run.
@Suite(.onLoop)
struct CacheRecordTests {
    private let folder = TemporaryFolder()

    /// One run of an agent, after something was done to what it finds; what it has counted.
    @LoopActor @discardableResult
    private func run(
        _ settings: AgentSettings = Season.roomy, plans: [SmallService.Plan] = Season.plans, tag: String = "simulated-1",
        before: (Stage) throws -> Void = { _ in }, after: (Stage) async throws -> Void = { _ in }
    ) async throws -> CacheTally {
        let former = try tally()
        let stage = try Season.start(in: folder, settings, plans: plans)
        stage.renderer.currentTag = RendererTag(tag)
        try before(stage)
        await stage.sync()
        try await after(stage)
        await stage.agent.stop()
        var news = try tally()
        news.misses = news.misses.filter { $0.value != former.misses[$0.key] }.mapValues { $0 }
        for (reason, count) in former.misses where news.misses[reason] != nil { news.misses[reason]? -= count }
        news.removals = news.removals.filter { $0.value != former.removals[$0.key] }
        for (reason, count) in former.removals where news.removals[reason] != nil { news.removals[reason]? -= count }
        return news
    }

    /// What the library has counted so far.
    @LoopActor
    private func tally() throws -> CacheTally {
        guard access(folder.path("data"), F_OK) == 0 else { return CacheTally() }
        let library = try Library(readingFrom: folder.path("data"))
        defer { library.close() }
        return try library.images.tally()
    }

    @Test @LoopActor func missesAndRemovalsAreCountedByTheirReasons() async throws {
        #expect(try await run().misses == [.neverMade: 32])
        #expect(try await run().misses == [:])

        // Less room, then more again.
        let less = try await run(Season.settings(room: 3 * Season.planBytes))
        #expect(less.misses == [:] && less.removals == [.size: 8])
        #expect(try await run() == CacheTally().with(misses: [.trimmed: 8]))

        // Deleted in the run and between two runs.
        let inRun = try await run(after: { stage in
            let victim = try #require(stage.cache.present().sorted().first)
            unlink(stage.cache.path(of: victim))
            await stage.settle()
        })
        #expect(inRun.misses == [.vanished: 1])
        let between = try await run(before: { stage in
            // It knows of them when it opens; what the test removes after that is found at the first look.
            for name in Season.images(of: Season.plans[0], in: stage) { unlink(stage.cache.path(of: name)) }
        })
        #expect(between.misses == [.vanished: 8])

        let damaged = try await run(before: { stage in
            let victim = try #require(stage.cache.present().sorted().first)
            try AtomicFile.write("garbage", to: stage.cache.path(of: victim))
        })
        #expect(damaged.misses == [.corrupt: 1])

        #expect(try await run(tag: "simulated-2").misses == [.rendererChanged: 32])
        // The chart is another one: nothing of it was ever there.
        var plans = Season.plans
        plans[0].charts[0] = SmallService.Chart(
            id: "1a", name: "Song 1a", bytes: SmallService.pdf("new edition"), updatedAt: "2026-11-20T10:00:00Z")
        #expect(try await run(plans: plans, tag: "simulated-2").misses == [.neverMade: 4])
    }

    @Test @LoopActor func vanishedWhileNobodyLookedIsVanished() async throws {
        try await run()
        TemporaryFolder.empty(folder.path("cache"))
        #expect(try await run().misses == [.vanished: 32])
    }

    /// A power cut costs no reasons: what was made is in the library when nothing is left to make.
    @Test @LoopActor func recordsAreThereAsSoonAsTheWorkIsDone() async throws {
        let stage = try Season.start(in: folder)
        await stage.sync()
        #expect(try stage.library.images.records().count == 32)
        #expect(try tally().misses == [.neverMade: 32])
    }
}

extension CacheTally {
    fileprivate func with(misses: [MissReason: Int]) -> CacheTally {
        var tally = self
        tally.misses = misses
        return tally
    }
}
