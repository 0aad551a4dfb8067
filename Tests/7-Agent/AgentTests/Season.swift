import Agent
import Freshness
import Library
import Model
import PageCache
import Platform
import Readiness
import Rendering
import TestSupport

@testable import ImageKeeping

/// Four plans a week apart, nearest first, with charts of two pages; and agents that run one after another in the same folder.
enum Season {
    static let plans = ["2026-11-22", "2026-11-29", "2026-12-06", "2026-12-13"].enumerated().map { index, day in
        SmallService.Plan(
            id: "\(index + 1)", startsAt: day + "T10:00:00Z", charts: [chart("\(index + 1)a"), chart("\(index + 1)b")])
    }

    static func chart(_ id: String) -> SmallService.Chart {
        SmallService.Chart(id: id, name: "Song \(id)", bytes: SmallService.pdf(id))
    }

    static let fullBytes = 40_960
    static let thumbnailBytes = 4096
    /// The room that a page takes, on disks whose blocks are no larger than a thumbnail.
    static let pageBytes = fullBytes + thumbnailBytes
    /// The disk space that each plan takes.
    static let planBytes = 4 * pageBytes

    /// Settings with a limit on the cache: once the images exceed the limit, they are trimmed to `room` bytes.
    static func settings(room: Int, scope: SyncScope = .all, greatestAge: Duration? = nil) -> AgentSettings {
        AgentSettings(
            scope: scope,
            cache: CacheSettings(limit: ByteCount(room / 9 * 10 + 10), leastFree: .bytes(ByteCount(0)), greatestAge: greatestAge))
    }

    static let roomy = settings(room: 100_000_000)

    /// Starts the next agent in a folder.
    @LoopActor
    static func start(
        in folder: TemporaryFolder, _ settings: AgentSettings = roomy, plans: [SmallService.Plan] = plans
    ) throws -> Stage {
        let stage = try Stage(plans, in: folder, settings: settings)
        stage.renderer.leastBytes = { $0.variant == .thumbnail ? thumbnailBytes : fullBytes }
        return stage
    }

    /// The images of a plan's charts that are in the cache.
    @LoopActor
    static func images(of plan: SmallService.Plan, in stage: Stage) -> Set<ImageName> {
        let folders = Set(plan.charts.map { folder(of: $0) })
        return stage.cache.present().filter { folders.contains($0.chart) }
    }

    static func folder(of chart: SmallService.Chart) -> String {
        ImageName.folder(of: ChartHash(SHA256.digest(of: chart.bytes)))
    }
}

extension Stage {
    /// The states of the charts, in the plans' order.
    func states() async throws -> [String] { try await agent.planTable().rows.map(\.state) }

    /// The keys of all images whose drawing has ever begun here, with repetitions.
    var begun: [ImageKey] { renderer.started.flatMap { $0.outputs.map(\.key) } }

    /// The disk space that all images take.
    func measured() async -> Int { await cache.survey().reduce(0) { $0 + $1.size.bytes } }
}

extension PlanTable.Row {
    /// The chart's first lack, in short.
    var state: String {
        switch chart.lacks.first {
        case nil: "ready"
        case .noRoom: "no room"
        case .notDownloaded: "not downloaded"
        case .cannotBeOpened(let reason), .cannotBeDrawn(_, let reason), .notCounted(let reason?): reason
        case let lack?: lack.sentence
        }
    }
}
