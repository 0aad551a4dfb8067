import Agent
import Glibc
import Library
import Model
import PageCache
import Platform
import Rendering
import TestSupport
import Testing

/// The results of image jobs are kept from run to run.
@Suite(.onLoop)
struct CacheRecordTests {
    private let folder = TemporaryFolder()

    /// Runs an agent once, after `before` has changed the cache; returns the images in the cache at the end.
    @LoopActor @discardableResult
    private func run(
        _ settings: AgentSettings = Season.roomy, tag: String = "simulated-1", before: (Stage) throws -> Void = { _ in }
    ) async throws -> Set<ImageName> {
        let stage = try Season.start(in: folder, settings)
        stage.renderer.currentTag = RendererTag(tag)
        try before(stage)
        await stage.sync()
        await stage.agent.stop()
        return stage.cache.present()
    }

    /// The recorded reasons why these images are missing.
    @LoopActor
    private func reasons(_ names: some Collection<ImageName>, renderer: String? = nil) throws -> [MissReason: Int] {
        let library = try Library(readingFrom: folder.path("data"))
        defer { library.close() }
        let records = Dictionary(try library.images.records().map { ($0.name, $0.renderer) }) { first, _ in first }
        return try names.reduce(into: [:]) {
            $0[try library.images.missReason(of: $1, renderer: renderer ?? records[$1] ?? "simulated-1"), default: 0] += 1
        }
    }

    @Test @LoopActor func whyAnImageIsMissingIsRememberedFromRunToRun() async throws {
        let all = try await run()
        #expect(all.count == 32)
        let fewer = try await run(Season.settings(room: 3 * Season.planBytes))
        #expect(try reasons(all.subtracting(fewer)) == [.trimmed: 8])
        #expect(try await run() == all)

        TemporaryFolder.empty(folder.path("cache"))
        #expect(try reasons(all) == [.vanished: 32])
        #expect(try await run() == all)
        #expect(try await run(tag: "simulated-2").subtracting(all).count == 32)
        #expect(try reasons(all, renderer: "simulated-1") == [.rendererChanged: 32])
    }

    /// The results are stored in the library as soon as no work is left, so that a power cut afterwards loses no reasons.
    @Test @LoopActor func recordsAreThereAsSoonAsTheWorkIsDone() async throws {
        let stage = try Season.start(in: folder)
        await stage.sync()
        #expect(try stage.library.images.records().count == 32)
    }
}
