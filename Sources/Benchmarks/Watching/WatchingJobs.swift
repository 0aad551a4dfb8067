import Agent
import BenchmarkCorpus
import Library
import Model
import Platform
import Rendering
import Watching

/// Fills a home from the service, writes its mark files, and waits until the library knows all of them.
struct HomeFiller: MeasuredJob {
    struct Record: Codable {
        var attachment = ""
        /// The renderer that made its images.
        var tag = ""
        var fonts = ""
        /// How long reading all files took.
        var seconds = 0.0
    }

    let home: WatchedHome
    let apiURL: String
    let annotationsURL: String

    func record() async throws -> Record {
        let pool = try home.pool()
        let identity = try await pool.identity()
        let first = try home.agent(renderer: pool, service: (apiURL, annotationsURL))
        let outcome = await first.poll()
        first.reconcile()
        await first.settled()
        let rows = try await first.planTable().rows
        await first.stop()
        guard let row = rows.first(where: { $0.pages > 0 }) else { throw BenchmarkFailure("there is no chart: \(outcome)") }
        try home.fill(for: row.attachment)
        let start = ProcessFigures.wallMilliseconds
        let second = try home.agent(renderer: try home.pool(), events: home.events())
        second.reconcile()
        await second.settled()
        let seconds = (ProcessFigures.wallMilliseconds - start) / 1000
        await second.stop()
        let library = try Library(folder: home.folder + "/data")
        let (known, matched) = (try library.markFiles.stamps().count, try library.markFiles.all(of: row.attachment).count)
        library.close()
        guard known == home.files, matched == WatchedHome.matched else {
            throw BenchmarkFailure("the library knows \(known) files, \(matched) of them for the chart")
        }
        return Record(attachment: row.attachment.text, tag: identity.tag.text, fonts: identity.fonts.digest.hex, seconds: seconds)
    }
}

/// Starts an agent on a home where nothing has changed since it was filled, with the images of that renderer.
struct HomeStarter: MeasuredJob {
    struct Record: Codable {
        /// Wall time in milliseconds, which is the same in every process.
        var standing = 0.0
        var compared = 0.0
        /// When nothing was left to do.
        var settled = 0.0
        var folders = 0
        var standingMebibytes = 0.0
        var peakMebibytes = 0.0
    }

    let home: WatchedHome
    let tag: String
    let fonts: String

    func record() async throws -> Record {
        var record = Record()
        let events = home.events()
        guard let fonts = Digest(hex: fonts) else { throw BenchmarkFailure("'\(fonts)' is not a digest") }
        let identity = RendererIdentity(tag: RendererTag(tag), fonts: FontSet(fonts))
        let agent = try home.agent(renderer: NoRenderer(passingFor: identity), events: events)
        agent.beginUpkeep()
        record.standing = ProcessFigures.wallMilliseconds
        record.folders = events.watcher.state.folders
        record.standingMebibytes = try ProcessFigures.peakMebibytes()
        if let trouble = events.watcher.state.trouble { throw BenchmarkFailure("\(trouble)") }
        let compared = Arrival()
        // First called once it is known what is wanted.
        agent.onProgress { _ in compared.come() }
        agent.reconcile()
        record.compared = try await compared.wait(for: "the comparison")
        await agent.settled()
        record.settled = ProcessFigures.wallMilliseconds
        record.peakMebibytes = try ProcessFigures.peakMebibytes()
        let missing = try await agent.planTable()
        await agent.stop()
        guard missing.wanted == missing.images else { throw BenchmarkFailure("there were images to be made") }
        return record
    }
}

/// Saves mark files while an agent is watching.
struct MarkSaver: MeasuredJob {
    /// How long the effects of the saves took, in milliseconds.
    struct Record: Codable {
        /// Until the loop knew about it.
        var detected: [Double] = []
        /// Until the new image had its name.
        var imaged: [Double] = []
        var peakMebibytes = 0.0
    }

    let home: WatchedHome
    /// The chart that some of the files are for.
    let attachment: String
    let saves: Int

    /// How many marks are added to a layer before it starts again with none.
    private static let mostMarks = 20

    func record() async throws -> Record {
        let events = home.events()
        let agent = try home.agent(renderer: try home.pool(), events: events)
        agent.beginUpkeep()
        agent.reconcile()
        await agent.settled()
        var record = Record()
        record.detected = try await saveOthers(events)
        await agent.settled()
        for save in 0..<saves { record.imaged.append(try await saveMatched(save, agent)) }
        record.peakMebibytes = try ProcessFigures.peakMebibytes()
        await agent.stop()
        return record
    }

    /// Files for no chart, one after the other while the agent is still reading the earlier ones.
    @LoopActor
    private func saveOthers(_ events: TimedEvents) async throws -> [Double] {
        let (side, clock) = (SideThread(), SystemClock())
        var generator = SampleGenerator(seed: 6)
        var times: [Double] = []
        for save in 0..<saves {
            let file = Int.random(in: WatchedHome.matched..<home.files, using: &generator)
            let arrival = Arrival()
            events.expect(home.path(file), by: arrival)
            let saved = try await side.run { [home] in
                try WatchedHome.save(home.other(file, revision: save + 1), to: home.path(file), inPlace: save % 2 == 0)
            }
            times.append(try await arrival.wait(for: "news of \(home.path(file))") - saved)
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
        let last = save / WatchedHome.matched
        let marks = (last / Self.mostMarks * Self.mostMarks...last).map { $0 * WatchedHome.matched + save % WatchedHome.matched + 1 }
        let layer = WatchedHome.layer(of: attachment, marks)
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
    private var time: Double?
    private var waiter: CheckedContinuation<Void, Never>?

    /// Notes that it came now; only the first time counts.
    func come() {
        time = time ?? ProcessFigures.wallMilliseconds
        resume()
    }

    /// The wall time at which it came.
    func wait(for what: String) async throws -> Double {
        let timer = clock.schedule(at: clock.now + .seconds(30)) { [weak self] in self?.resume() }
        if time == nil { await withCheckedContinuation { waiter = $0 } }
        clock.cancel(timer)
        guard let time else { throw BenchmarkFailure("\(what) never came") }
        return time
    }

    private func resume() {
        waiter?.resume()
        waiter = nil
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
