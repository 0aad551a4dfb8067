import ChartFiles
import Glibc
import Library
import Model
import PageCache
import Platform
import Rendering
import TestSupport

@testable import Agent
@testable import Marks

/// An agent that keeps running, and a folder with a musician's own files of marks.
@LoopActor
final class MarkStage {
    let folder = TemporaryFolder()
    let music: MusicFolder
    private(set) var stage: Stage
    /// The number of pages of each chart.
    let pageCount: Int
    private let plans: [SmallService.Plan]

    convenience init(_ charts: [String], pages: Int = 2) async throws {
        try await self.init(
            [SmallService.Plan(id: "1", startsAt: "2026-11-22T10:00:00Z", charts: charts.map { Season.chart($0) })], pages: pages)
    }

    init(_ plans: [SmallService.Plan], pages: Int = 2) async throws {
        pageCount = pages
        self.plans = plans
        music = try MusicFolder(folder.path("music"))
        stage = try Self.start(plans, in: folder, pages: pages)
        begin()
        await sync()
        _ = stage.newJobs()
    }

    private static func start(_ plans: [SmallService.Plan], in folder: TemporaryFolder, pages: Int) throws -> Stage {
        let settings = AgentSettings(marks: MarkSettings(roots: MarkRoots([folder.path("music")])))
        let stage = try Stage(plans, in: folder, settings: settings)
        stage.renderer.describe = { _ in
            .success(ChartDescription(pages: [PageGeometry](repeating: PageGeometry(width: 600, height: 800), count: pages)))
        }
        return stage
    }

    private func begin() {
        stage.stay()
        music.events = stage.events
    }

    /// Polls the service and links the new charts, as the program does.
    func sync() async {
        await stage.sync()
        let links = try? stage.library.linkCharts(into: music.path)
        if links?.made.isEmpty == false { stage.agent.markKeeper.matchAgain() }
        await stage.settleAsTold()
    }

    /// Ends the agent. No agent receives the events that follow, until the next one begins.
    func end() async {
        music.events = nil
        await stage.clock.run { [stage] in await stage.agent.stop() }
    }

    /// Starts the next agent at the time when the last one ended, with the same service; `prepare` runs before the start.
    func beginAgain(_ prepare: (Stage) -> Void = { _ in }) async throws {
        let (plans, layers, time) = (stage.service.plans, stage.service.layers, stage.clock.wallTime)
        stage = try Self.start(plans, in: folder, pages: pageCount)
        stage.clock.wallTimeAtStart = time
        stage.service.layers = layers
        prepare(stage)
        begin()
        await stage.settle()
    }

    func quiet() async { await stage.settleAsTold() }

    /// The path of a chart's link in the music folder.
    func link(_ chart: String) throws -> String {
        let day = try first(Folder.names(in: music.path).filter { $0.hasPrefix("2026-") })
        let name = try first(Folder.names(in: music.path(day)).filter { $0.hasSuffix("Song \(chart).pdf") })
        return day + "/" + name
    }

    private func first(_ names: [String]) throws -> String {
        guard let first = names.sorted().first else { throw SystemError("find a link", path: music.path, code: ENOENT) }
        return first
    }

    /// The variants of the images rendered since the last call.
    func rendered() -> [String] {
        let outputs = stage.newJobs().flatMap(\.outputs)
        return outputs.map { "\($0.variant)" }
    }

    /// The stamp of every image file, by its path in the cache.
    func images() throws -> [String: FileStamp] {
        var found: [String: FileStamp] = [:]
        let pages = stage.cache.folder + "/pages"
        for chart in try Folder.names(in: pages) {
            for name in try Folder.names(in: pages + "/" + chart) {
                var status = stat()
                guard lstat("\(pages)/\(chart)/\(name)", &status) == 0 else { continue }
                found[chart + "/" + name] = FileStamp(
                    device: 0, inode: UInt64(status.st_ino), size: Int(status.st_size),
                    modified: Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec))
            }
        }
        return found
    }

    /// The names of the images made since `before`; throws if an earlier image has changed.
    func newImages(since before: [String: FileStamp]) throws -> [ImageName] {
        let now = try images()
        for (path, stamp) in before where now[path] != stamp { throw Touched(path: path) }
        return try now.keys.filter { before[$0] == nil }.sorted().map { path in
            let parts = path.split(separator: "/").map(String.init)
            guard let name = ImageName(folder: parts[0], file: parts[1]) else { throw Touched(path: path) }
            return name
        }
    }

    struct Touched: Error { let path: String }
}
