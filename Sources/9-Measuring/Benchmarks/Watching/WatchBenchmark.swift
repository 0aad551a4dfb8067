import Agent
import BenchmarkCorpus
import DemoService
import Glibc
import Library
import Marks
import Model
import Platform
import Readiness
import Rendering
import Watching

/// Mark files that the agent watches: how quickly a save is detected and shown, and how long the agent takes to start.
@LoopActor
enum WatchBenchmark {
    static func run(_ request: BenchmarkRequest, in folder: String) async throws -> BenchmarkReport {
        var measured = Measurements()
        for size in request.isQuick ? [10, 1000] : [10, 1000, 50_000] {
            let service = try DemoService.start()
            defer { service.stop() }
            let home = try await WatchedHome("\(folder)/\(size)", files: size, from: service)
            measured.add("first_reading_s@\(size)", "s", home.secondsOfReading)
            measured += try await starts(home, times: request.isQuick ? 2 : 7)
            measured += try await MarkSaver(home: home, saves: request.runs(quick: 20, usual: 500)).measured().named("@\(size)")
        }
        return BenchmarkReport(measured, beside: [.inotifywait])
    }

    private static func starts(_ home: WatchedHome, times: Int) async throws -> Measurements {
        var starts = Measurements()
        let size = "@\(home.files)"
        try await RunningProgram.shell("find '\(home.folder)' -printf '%T@ %b' > /dev/null")
        for _ in 0..<times {
            let begun = ProcessFigures.wallMilliseconds
            starts += try await HomeStarter(home: home, begun: begun).measured().named(size)
            if let program = Peer.inotifywait.path {
                starts.add("startup_ms\(size)_inotifywait", "ms", try await inotifywait(program, home))
            }
        }
        for name in ["startup", "startup_compared"] {
            starts.compare("\(name)\(size)/inotifywait", "\(name)_ms\(size)", over: "startup_ms\(size)_inotifywait")
        }
        return starts
    }

    /// Milliseconds from the start of `inotifywait` until it reports that its watches are established.
    private static func inotifywait(_ program: String, _ home: WatchedHome) async throws -> Double {
        let start = ProcessFigures.wallMilliseconds
        let watcher = try RunningProgram(program, ["-m", "-r", home.music], log: home.folder + "/inotifywait.\(start)")
        try await watcher.prints("established", within: .seconds(300), checkedEvery: .milliseconds(1))
        let standing = ProcessFigures.wallMilliseconds
        await watcher.end()
        return standing - start
    }
}

/// A library, a cache and folders of small mark files, as they accumulate over years of playing, mostly for charts that no longer
/// exist. Agents are started on them.
struct WatchedHome: Codable, Sendable {
    let folder: String
    let files: Int
    /// The renderer that made the home's images.
    let renderer: RendererIdentity
    /// The chart that the first mark files belong to.
    private(set) var attachment = AttachmentID("")
    private(set) var pages = 0
    private(set) var secondsOfReading = 0.0

    /// How many files belong to an existing chart. These are the first ones.
    static let matched = 3
    /// With 50,000 files, this makes 5,000 folders.
    private static let filesPerFolder = 10

    var music: String { folder + "/music" }

    /// Fetches a home from the service, writes its mark files, and waits until the library has read all of them.
    @LoopActor
    init(_ folder: String, files: Int, from service: DemoService) async throws {
        self.folder = folder
        self.files = files
        let pool = try MeasuredRenderer.pool(width: 2)
        renderer = try await pool.identity()
        let first = try Agent.measured(in: folder, renderer: pool, service: (service.apiURL, service.annotationsURL))
        let outcome = await first.poll()
        first.reconcile()
        await first.settled()
        let charts = try await first.planTable().rows.map(\.chart)
        await first.stop()
        let chart = try charts.first { $0.pages ?? 0 > 0 }.required("there is no chart: \(outcome)")
        (attachment, pages) = (chart.attachment, chart.pages ?? 0)
        for file in 0..<files {
            if file % Self.filesPerFolder == 0 { try Folder.create(Folder.parent(of: path(file))) }
            _ = try save(file < Self.matched ? layer([file]) : other(file, saves: 0), to: file, inPlace: true)
        }
        let start = ProcessFigures.wallMilliseconds
        let second = try agent(renderer: try MeasuredRenderer.pool(width: 2), events: events())
        second.reconcile()
        await second.settled()
        secondsOfReading = (ProcessFigures.wallMilliseconds - start) / 1000
        await second.stop()
        let library = try Library(folder: folder + "/data")
        let (known, matched) = (try library.markFiles.stamps().count, try library.markFiles.all(of: attachment).count)
        library.close()
        try require(known == files && matched == Self.matched, "the library knows \(known) files, \(matched) of them for the chart")
    }

    // MARK: - Agents

    /// An agent on the home's library, cache and mark files. Unlike the program's agent, it makes no links to charts, and its
    /// watcher watches no other folders.
    @LoopActor
    func agent(renderer: any PageRenderer, events: TimedEvents) throws -> Agent {
        try Agent.measured(in: folder, renderer: renderer, events: events, marks: MarkSettings(roots: MarkRoots([music])))
    }

    @LoopActor
    func events() -> TimedEvents {
        TimedEvents(FolderWatcher([.pageCache(folder + "/cache"), .marks(music, MarkRoots([music]))], clock: SystemClock()))
    }

    // MARK: - Mark files

    func path(_ file: Int) -> String {
        let place = file / Self.filesPerFolder
        let ending = file < Self.matched || file % 2 == 0 ? ".marks.json" : ".xopp"
        return "\(music)/\(place / 100)/\(place % 100)/Song \(file)\(ending)"
    }

    /// The contents of a file for a chart that does not exist. Each save adds a mark.
    func other(_ file: Int, saves: Int) -> String {
        let places = (0...saves).map { (file * 7 + $0 * 13) % 800 + 100 }
        guard path(file).hasSuffix(".xopp") else { return layer(places, of: "gone-\(file)") }
        let strokes = places.map { place in
            ##"<stroke tool="pen" color="#ff0000ff" width="1.41">\##(Double(place) * 0.595) 100 120 140 160 180</stroke>"##
        }
        return """
            <?xml version="1.0" standalone="no"?>
            <xournal creator="Xournal++ 1.1.3" fileversion="4"><title>Song</title>
            <page width="595.0" height="842.0"><background type="pdf" domain="absolute" filename="Song \(file).pdf" pageno="1"/>
            <layer>\(strokes.joined())</layer></page>
            </xournal>
            """
    }

    /// A native layer whose strokes differ by number. By default, they are on the first page of the home's chart.
    func layer(_ marks: [Int], of attachment: String? = nil, page: (Int) -> Int = { _ in 0 }) -> String {
        let strokes = marks.map { number in
            let (x, y) = (Double(number % 37 + 1) / 40, Double(number % 41 + 1) / 44)
            return """
                {"id":"m\(number)","page":\(page(number)),"kind":"pen","color":"#1a5fb4","width":0.003,\
                "points":[[\(x),\(y)],[\(x + 0.02),\(y + 0.01)],[\(x + 0.03),\(y)]],"created_at":"2026-11-18T20:31:31Z"}
                """
        }
        let owner = attachment ?? self.attachment.text
        return #"{"version":1,"attachment_id":"\#(owner)","name":"mine","marks":[\#(strokes.joined(separator: ","))]}"#
    }

    /// Saves a file, in place or by renaming as editors do. Returns the time just before the file was closed or renamed.
    func save(_ text: String, to file: Int, inPlace: Bool) throws -> Double {
        let path = path(file)
        let target = inPlace ? path : Folder.parent(of: path) + "/.saving"
        var saved: Double
        do {
            let file = try Descriptor.open(target, O_WRONLY | O_CREAT | O_TRUNC)
            try Array(text.utf8).withUnsafeBytes { try file.write($0) }
            saved = ProcessFigures.wallMilliseconds
        }
        if !inPlace {
            saved = ProcessFigures.wallMilliseconds
            guard rename(target, path) == 0 else { throw SystemError("rename", path: path) }
        }
        return saved
    }
}

/// Starts an agent on a home that is unchanged since it was filled and has all its images.
struct HomeStarter: MeasuredJob {
    let home: WatchedHome
    /// The wall time just before this process was started, in milliseconds.
    let begun: Double

    func record() async throws -> Measurements {
        var start = Measurements()
        let events = home.events()
        let agent = try home.agent(renderer: NoRenderer(passingFor: home.renderer), events: events)
        agent.beginUpkeep()
        start.add("startup_ms", "ms", ProcessFigures.wallMilliseconds - begun)
        let watching = events.watcher.state
        try require(watching.folders > home.files / 10, "\(watching.folders) folders were watched")
        start.add("watch_standing_mib", "MiB", try ProcessFigures.peakMebibytes())
        if let trouble = watching.trouble { throw Trouble("\(trouble)") }
        let compared = Arrival()
        // The first progress comes when the wanted images have been worked out.
        agent.onProgress { _ in compared.come() }
        agent.reconcile()
        start.add("startup_compared_ms", "ms", try await compared.wait(for: "the comparison") - begun)
        // Wait until no work is left.
        await agent.settled()
        start.add("startup_settled_ms", "ms", ProcessFigures.wallMilliseconds - begun)
        start.add("watch_mib", "MiB", try ProcessFigures.peakMebibytes())
        let missing = try await agent.planTable()
        await agent.stop()
        try require(missing.wanted == missing.images, "there were images to be made")
        return start
    }
}

/// Saves mark files while an agent is watching.
struct MarkSaver: MeasuredJob {
    let home: WatchedHome
    let saves: Int

    /// How many marks a layer has on a page before the next page gets some. If marks were replaced instead, files that lose marks in
    /// quick succession would be taken for an older state of the folder.
    private static let marksPerPage = 20

    func record() async throws -> Measurements {
        let events = home.events()
        let agent = try home.agent(renderer: try MeasuredRenderer.pool(width: 2), events: events)
        agent.beginUpkeep()
        agent.reconcile()
        await agent.settled()
        var measured = Measurements()
        func add(_ name: String, _ milliseconds: [Double]) {
            for (label, share) in [("p50", 0.5), ("p95", 0.95), ("p99", 0.99)] {
                measured.add("\(name)_\(label)_ms", "ms", milliseconds.percentile(share))
            }
            measured.add("\(name)_ms", "ms", milliseconds)
        }
        // Measure until the loop has received the event.
        add("detect", try await saveOthers(events))
        await agent.settled()
        // Measure until the new image has its final name.
        var imaged: [Double] = []
        for save in 0..<saves { imaged.append(try await saveMatched(save, agent)) }
        add("save_to_image", imaged)
        measured.add("saving_mib", "MiB", try ProcessFigures.peakMebibytes())
        await agent.stop()
        return measured
    }

    /// Saves files that belong to no chart in quick succession, while the agent is still reading earlier ones.
    @LoopActor
    private func saveOthers(_ events: TimedEvents) async throws -> [Double] {
        let (side, clock) = (SideThread(), SystemClock())
        var generator = SampleGenerator(seed: 6)
        var (times, saved): ([Double], [Int: Int]) = ([], [:])
        for save in 0..<saves {
            let file = Int.random(in: WatchedHome.matched..<home.files, using: &generator)
            saved[file, default: 0] += 1
            let text = home.other(file, saves: saved[file, default: 0])
            let arrival = Arrival()
            events.expect(home.path(file), by: arrival)
            let time = try await side.run { [home] in try home.save(text, to: file, inPlace: save % 2 == 0) }
            times.append(try await arrival.wait(for: "news of \(home.path(file))") - time)
            // Wait for a random time, so that the next save comes at another moment of the agent's other work.
            try await clock.sleep(for: .microseconds(Int.random(in: 2000...20_000, using: &generator)))
        }
        return times
    }

    /// Saves a file of the chart, once the image for the previous save was made.
    @LoopActor
    private func saveMatched(_ save: Int, _ agent: Agent) async throws -> Double {
        let file = save % WatchedHome.matched
        let (rendered, arrival) = (agent.tally.rendered, Arrival())
        agent.onProgress { [weak agent] _ in if let agent, agent.tally.rendered > rendered { arrival.come() } }
        // The mark that the file began with, and one for each save.
        let marks = (0...save / WatchedHome.matched + 1).map { $0 * WatchedHome.matched + file }
        let layer = home.layer(marks) { $0 / WatchedHome.matched / Self.marksPerPage % home.pages }
        let saved = try await SideThread().run { [home] in try home.save(layer, to: file, inPlace: save % 2 == 0) }
        let time = try await arrival.wait(for: "the image after save \(save + 1)") - saved
        await agent.settled()
        try require(agent.tally.rendered == rendered + 1, "a save made \(agent.tally.rendered - rendered) images")
        return time
    }
}

/// An event to wait for, and the time at which it happened. The wait fails after 30 s.
@LoopActor
final class Arrival {
    private let clock = SystemClock()
    private let waiters = Waiters()
    private var time: Double?

    /// Records that the event has happened. Only the first call counts.
    func come() {
        time = time ?? ProcessFigures.wallMilliseconds
        waiters.wake()
    }

    func wait(for what: String) async throws -> Double {
        let timer = clock.schedule(at: clock.now + .seconds(30)) { [weak self] in self?.waiters.wake() }
        await waiters.wait { time != nil }
        clock.cancel(timer)
        return try time.required("\(what) never came")
    }
}

/// The agent's watcher, which also records when it reports files.
@LoopActor
final class TimedEvents: ListingEventSource {
    let watcher: FolderWatcher
    private var awaited: [String: Arrival] = [:]

    init(_ watcher: FolderWatcher) { self.watcher = watcher }

    func start(_ handler: @escaping @LoopActor (FileEvent) -> Void) throws(SystemError) {
        try watcher.start { [weak self] event in
            if case .written(let path) = event { self?.awaited.removeValue(forKey: path)?.come() }
            handler(event)
        }
    }

    func stop() { watcher.stop() }

    func takeListing(of root: String) async -> FileListing? { await watcher.takeListing(of: root) }

    func expect(_ path: String, by arrival: Arrival) { awaited[path] = arrival }
}
