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
    /// What `woodshed status` and `woodshed ready` find, of all plans or none, whether or not an agent runs.
    func report(ofPlans: Bool = true, isThorough: Bool = false) async throws -> ReadinessReport {
        let cache = stage.agent.core.cache
        let library = try Library(readingFrom: folder.path("data"))
        defer { library.close() }
        let wants = LibraryWants(library: library, render: RenderSettings(), ahead: .seconds(28 * 86_400))
        let keeper = CacheKeeper(
            library: library, cache: cache, wants: wants, settings: CacheSettings(), time: stage.clock, log: .silent)
        // That of the agent may have ended with it.
        let renderer = try await SimulatedRenderer(width: 1, clock: stage.clock, duration: .zero).identity()
        let roots = MarkRoots([music.path])
        let time = stage.clock.timestamp
        return try await ReadinessCheck(
            library: library, cache: cache, wants: wants, keeper: keeper, renderer: renderer, marks: roots
        ).report(of: ofPlans ? library.plans.all() : [], ReadinessCheck.Circumstances(now: time, isThorough: isThorough))
    }
}

extension MarkFolders {
    /// The paths with a kind of trouble, each with what `value` gets of it.
    private func all<Value>(_ value: (Trouble) -> Value?) -> [String: Value] {
        Dictionary(entries.compactMap { entry in value(entry.trouble).map { (entry.path, $0) } }) { first, _ in first }
    }

    var away: [String: Int] { all { if case .emptied(let files) = $0 { files } else { nil } } }
    var emptied: Set<String> { Set(away.keys) }
    var placeholders: [String: String] { all { if case .replaced(let path) = $0 { path } else { nil } } }
    var former: [String: Int] { all { if case .unconfigured(let files) = $0 { files } else { nil } } }
    var missing: Set<String> { Set(entries.filter { $0.trouble == .missing }.map(\.path)) }
}
