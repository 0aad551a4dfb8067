import Library
import Model
import Platform
import Rendering
import TestSupport

@testable import Agent
@testable import ImageKeeping
@testable import Marks
@testable import Readiness

extension MarkStage {
    /// The report of `woodshed status` and `woodshed ready`, for all plans or none, with or without a running agent.
    func report(ofPlans: Bool = true, isThorough: Bool = false) async throws -> ReadinessReport {
        let cache = stage.agent.core.cache
        let library = try Library(readingFrom: folder.path("data"))
        defer { library.close() }
        let wants = LibraryWants(library: library, render: RenderSettings(), ahead: .seconds(28 * 86_400))
        let keeper = CacheKeeper(
            library: library, cache: cache, wants: wants, settings: CacheSettings(), time: stage.clock, log: .silent)
        // The agent's renderer may have ended together with the agent.
        let renderer = try await SimulatedRenderer(width: 1, clock: stage.clock, duration: .zero).identity()
        let roots = MarkRoots([music.path])
        let time = stage.clock.timestamp
        return try await ReadinessCheck(
            library: library, cache: cache, wants: wants, keeper: keeper, renderer: renderer, marks: roots
        ).report(of: ofPlans ? library.plans.all() : [], ReadinessCheck.Circumstances(now: time, isThorough: isThorough))
    }
}
