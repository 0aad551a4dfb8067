import Agent
import BenchmarkCorpus
import DemoService
import Library
import Model
import Platform
import Rendering
import Watching

/// A home that is filled.
struct FilledHome: Codable {
    let home: WatchedHome
    /// The chart that some of the mark files are for.
    let attachment: AttachmentID
    let pages: Int
    /// The renderer that made its images.
    let renderer: RendererIdentity
    /// How long reading all files took.
    let seconds: Double

    /// Fills it from the service, writes its mark files, and waits until the library knows all of them.
    @LoopActor
    init(_ home: WatchedHome, from service: DemoService) async throws {
        self.home = home
        let pool = try MeasuredRenderer.pool(width: 2)
        renderer = try await pool.identity()
        let first = try home.agent(renderer: pool, service: (service.apiURL, service.annotationsURL))
        let outcome = await first.poll()
        first.reconcile()
        await first.settled()
        let rows = try await first.planTable().rows
        await first.stop()
        guard let row = rows.first(where: { $0.pages > 0 }) else { throw BenchmarkFailure("there is no chart: \(outcome)") }
        (attachment, pages) = (row.attachment, row.pages)
        try home.fill(for: attachment)
        let start = ProcessFigures.wallMilliseconds
        let second = try home.agent(renderer: try MeasuredRenderer.pool(width: 2), events: home.events())
        second.reconcile()
        await second.settled()
        seconds = (ProcessFigures.wallMilliseconds - start) / 1000
        await second.stop()
        let library = try Library(folder: home.folder + "/data")
        let (known, matched) = (try library.markFiles.stamps().count, try library.markFiles.all(of: attachment).count)
        library.close()
        guard known == home.files, matched == WatchedHome.matched else {
            throw BenchmarkFailure("the library knows \(known) files, \(matched) of them for the chart")
        }
    }
}

/// Starts an agent on a home where nothing has changed since it was filled, with the images of that renderer.
struct HomeStarter: MeasuredJob {
    let filled: FilledHome
    /// The wall time just before this process was started, in milliseconds; that time is the same in every process.
    let begun: Double

    func record() async throws -> Measurements {
        var start = Measurements()
        let (home, size) = (filled.home, filled.home.files)
        let events = home.events()
        let agent = try home.agent(renderer: NoRenderer(passingFor: filled.renderer), events: events)
        agent.beginUpkeep()
        start.add("startup_ms@\(size)", "ms", ProcessFigures.wallMilliseconds - begun)
        let watching = events.watcher.state
        guard watching.folders > size / 10 else { throw BenchmarkFailure("\(watching.folders) folders were watched") }
        start.add("watch_standing_mib@\(size)", "MiB", try ProcessFigures.peakMebibytes())
        if let trouble = watching.trouble { throw BenchmarkFailure("\(trouble)") }
        let compared = Arrival()
        // First called once it is known what is wanted.
        agent.onProgress { _ in compared.come() }
        agent.reconcile()
        start.add("startup_compared_ms@\(size)", "ms", try await compared.wait(for: "the comparison") - begun)
        // Until nothing is left to do.
        await agent.settled()
        start.add("startup_settled_ms@\(size)", "ms", ProcessFigures.wallMilliseconds - begun)
        start.add("watch_mib@\(size)", "MiB", try ProcessFigures.peakMebibytes())
        let missing = try await agent.planTable()
        await agent.stop()
        guard missing.wanted == missing.images else { throw BenchmarkFailure("there were images to be made") }
        return start
    }
}

/// Saves mark files while an agent is watching.
struct MarkSaver: MeasuredJob {
    let filled: FilledHome
    let saves: Int

    private var home: WatchedHome { filled.home }

    /// How many marks a layer has on a page before the next page gets some. Files that lose marks one soon after the other, in place of
    /// that, would be taken for an older state of the folder.
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
                measured.add("\(name)_\(label)_ms@\(home.files)", "ms", milliseconds.percentile(share))
            }
            measured.add("\(name)_ms@\(home.files)", "ms", milliseconds)
        }
        // Until the loop knows about it.
        add("detect", try await saveOthers(events))
        await agent.settled()
        // Until the new image has its name.
        var imaged: [Double] = []
        for save in 0..<saves { imaged.append(try await saveMatched(save, agent)) }
        add("save_to_image", imaged)
        measured.add("saving_mib@\(home.files)", "MiB", try ProcessFigures.peakMebibytes())
        await agent.stop()
        return measured
    }

    /// Files for no chart, one after the other while the agent is still reading the earlier ones.
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
            let time = try await side.run { [home] in
                try WatchedHome.save(text, to: home.path(file), inPlace: save % 2 == 0)
            }
            times.append(try await arrival.wait(for: "news of \(home.path(file))") - time)
            // At a different moment in the agent's other work each time.
            try await clock.sleep(for: .microseconds(Int.random(in: 2000...20_000, using: &generator)))
        }
        return times
    }

    /// A file for the chart, once the image of the previous one was made.
    @LoopActor
    private func saveMatched(_ save: Int, _ agent: Agent) async throws -> Double {
        let path = home.path(save % WatchedHome.matched)
        let (rendered, arrival) = (agent.tally.rendered, Arrival())
        agent.onProgress { [weak agent] _ in if let agent, agent.tally.rendered > rendered { arrival.come() } }
        // The mark that it began with, and one for each time that it was saved.
        let marks = (0...save / WatchedHome.matched + 1).map { $0 * WatchedHome.matched + save % WatchedHome.matched }
        let layer = WatchedHome.layer(of: filled.attachment.text, marks) {
            $0 / WatchedHome.matched / Self.marksPerPage % filled.pages
        }
        let saved = try await SideThread().run { try WatchedHome.save(layer, to: path, inPlace: save % 2 == 0) }
        let time = try await arrival.wait(for: "the image after save \(save + 1)") - saved
        await agent.settled()
        guard agent.tally.rendered == rendered + 1 else {
            throw BenchmarkFailure("a save made \(agent.tally.rendered - rendered) images")
        }
        return time
    }
}

/// Something that is waited for, with the time when it came.
@LoopActor
final class Arrival {
    private let clock = SystemClock()
    private let waiters = Waiters()
    private var time: Double?

    /// Notes that it came now; only the first time counts.
    func come() {
        time = time ?? ProcessFigures.wallMilliseconds
        waiters.wake()
    }

    /// The wall time at which it came.
    func wait(for what: String) async throws -> Double {
        let timer = clock.schedule(at: clock.now + .seconds(30)) { [weak self] in self?.waiters.wake() }
        await waiters.wait { time != nil }
        clock.cancel(timer)
        guard let time else { throw BenchmarkFailure("\(what) never came") }
        return time
    }
}

/// The agent's watcher, with a record of when it reports files.
@LoopActor
final class TimedEvents: ListingEventSource {
    let watcher: FolderWatcher
    /// The files whose writing is waited for.
    private var awaited: [String: Arrival] = [:]

    init(_ watcher: FolderWatcher) {
        self.watcher = watcher
    }

    func start(_ handler: @escaping @LoopActor (FileEvent) -> Void) throws(SystemError) {
        try watcher.start { [weak self] event in
            if case .written(let path) = event { self?.awaited.removeValue(forKey: path)?.come() }
            handler(event)
        }
    }

    func stop() { watcher.stop() }

    func takeListing(of root: String) async -> FileListing? { await watcher.takeListing(of: root) }

    /// Notes when a file is next written.
    func expect(_ path: String, by arrival: Arrival) { awaited[path] = arrival }
}
