import Glibc
import Library
import Model
import Platform
import TestSupport

@testable import Marks

/// A keeper of mark files that starts and ends, and a folder of music with links to charts; no agent, no images, no service.
@LoopActor
final class MarkDesk {
    let folder = TemporaryFolder()
    let music: MusicFolder
    private(set) var home: MarkHome
    private var charts: [String]

    init(_ charts: [String]) async throws {
        self.charts = charts
        music = try MusicFolder(folder.path("music"))
        home = try await Self.start(charts, folder, SimulatedClock())
        try link(charts)
        await begin()
    }

    private static func start(_ charts: [String], _ folder: TemporaryFolder, _ clock: SimulatedClock) async throws -> MarkHome {
        try await MarkHome(MarkRoots([folder.path("music")], charts: [folder.path("Sets")]), plan: plan(charts), in: folder, clock: clock)
    }

    private static func plan(_ charts: [String]) -> PlanContents {
        var contents = Samples.contents("1", attachments: charts.map { Samples.attachment($0, size: 0, filename: "Song \($0).pdf") })
        for (place, chart) in charts.enumerated() { contents.items[place].title = "Song \(chart)" }
        return contents
    }

    private func begin() async {
        music.events = home.events
        AfterTest.end { [home] in home.end() }
        await quiet()
    }

    var library: Library { home.library }
    var logged: [String] { home.logged }

    /// Adds these charts, each as `SmallService.pdf` with its name, and links them.
    private func link(_ charts: [String]) throws {
        for chart in charts {
            let bytes = Array(SmallService.pdf(chart).utf8)
            let file = try library.charts.beginChart()
            try bytes.withUnsafeBytes { try file.write($0) }
            try library.charts.keep(
                file, hash: Samples.hash(bytes), size: bytes.count, for: AttachmentID(chart),
                version: Samples.attachment(chart, size: 0).version)
        }
        _ = try library.linkCharts(into: music.path)
        home.keeper.matchAgain()
    }

    /// Adds one more chart.
    func add(_ chart: String) async throws {
        charts.append(chart)
        try library.plans.update([Self.plan(charts)], at: home.clock.timestamp)
        try link([chart])
        await quiet()
    }

    /// Ends the keeper. No keeper receives the events that follow, until the next one begins.
    func end() async {
        music.events = nil
        home.end()
    }

    /// Starts the next keeper at the time when the last one ended.
    func beginAgain() async throws {
        home = try await Self.start(charts, folder, home.clock)
        await begin()
    }

    func quiet() async { await home.settle() }
    func wait(for duration: Duration) async { await home.wait(for: duration) }

    /// The library's record of a file of marks.
    func known(_ name: String) throws -> LocalFile? { try library.markFiles.file(at: music.path(name)) }

    /// The drawn marks, by charts.
    func drawn() throws -> [String: [PageIndex: MarkDigest]] {
        Dictionary(uniqueKeysWithValues: try charts.map { ($0, try home.drawn(on: $0)) })
    }

    /// The path of a chart's link in the music folder.
    func link(_ chart: String) throws -> String {
        for day in try Folder.names(in: music.path).sorted() where day.hasPrefix("20") {
            for name in try Folder.names(in: music.path(day)) where name.hasSuffix("Song \(chart).pdf") { return day + "/" + name }
        }
        throw SystemError("find a link", path: music.path, code: ENOENT)
    }
}
