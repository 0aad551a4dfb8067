import Agent
import FoundationEssentials
import Glibc
import Library
import Model
import Platform
import Rendering
import Watching

/// The process that is measured: an agent that looks after a home.
struct WatchingProcess {
    /// The result of filling a home.
    struct Filled: Codable, Sendable {
        var attachment = ""
        /// The renderer that made its images.
        var tag = ""
        var fonts = ""
        /// How long reading all files took.
        var seconds = 0.0
    }

    /// The start of an agent on a home where nothing has changed.
    struct Started: Codable, Sendable {
        /// Wall time in milliseconds, which is the same in every process.
        var standing = 0.0
        var compared = 0.0
        /// When nothing was left to do.
        var settled = 0.0
        var folders = 0
        var standingMebibytes = 0.0
        var peakMebibytes = 0.0
    }

    /// The first word of its command line, which is of no use to people.
    static let word = "--watching"

    private let home: WatchedHome
    private let role: String
    private let arguments: [String]

    init?(_ words: [String]) {
        guard words.count >= 3, words[0] == Self.word else { return nil }
        role = words[1]
        home = WatchedHome(folder: words[2])
        arguments = Array(words.dropFirst(3))
    }

    /// Runs, prints the result as JSON, and returns the exit code.
    func run() -> Int32 {
        Loop.shared.run {
            do {
                let bytes =
                    switch (role, arguments.count) {
                    case ("fill", 3): try JSONEncoder().encode(try await fill())
                    case ("start", 2): try JSONEncoder().encode(try await start())
                    case ("save", 3): try JSONEncoder().encode(try await save())
                    default: throw BenchmarkFailure("there is no role '\(role)'")
                    }
                print(String(decoding: bytes, as: UTF8.self))
                return 0
            } catch {
                Log.standardError(from: .error).error("\(error)")
                return 1
            }
        }
    }

    private func tree(_ count: String) -> MarkTree { MarkTree(folder: home.music, count: Int(count) ?? 0) }

    /// Real workers, like the agent's.
    @LoopActor
    private func pool() throws -> WorkerPool {
        var options = WorkerOptions(program: try MeasuredRenderer.program(), width: 2)
        // Work that waits for an idle processor would measure whatever else is running.
        options.isBackground = false
        return WorkerPool(options, clock: home.clock)
    }

    /// Fills the library from the service, writes the tree, and waits until the library knows all of it.
    @LoopActor
    private func fill() async throws -> Filled {
        let tree = tree(arguments[2])
        let pool = try pool()
        let identity = try await pool.identity()
        let first = try home.agent(renderer: pool, service: (arguments[0], arguments[1]))
        let outcome = await first.poll()
        first.reconcile()
        await first.settled()
        let rows = try await first.planTable().rows
        await first.stop()
        guard let row = rows.first(where: { $0.pages > 0 }) else {
            throw BenchmarkFailure("there is no chart: \(outcome)")
        }
        try tree.fill(for: row.attachment)
        let start = ProcessFigures.wallMilliseconds
        let second = try home.agent(renderer: try self.pool(), events: home.events())
        second.reconcile()
        await second.settled()
        let seconds = (ProcessFigures.wallMilliseconds - start) / 1000
        await second.stop()
        let library = try Library(folder: home.folder + "/data")
        let (known, matched) = (try library.markFiles.stamps().count, try library.markFiles.all(of: row.attachment).count)
        library.close()
        guard known == tree.count, matched == MarkTree.matched else {
            throw BenchmarkFailure("the library knows \(known) files, \(matched) of them for the chart")
        }
        return Filled(
            attachment: row.attachment.text, tag: identity.tag.text, fonts: identity.fonts.digest.hex, seconds: seconds)
    }

    @LoopActor
    private func start() async throws -> Started {
        var record = Started()
        let events = home.events()
        guard let fonts = Digest(hex: arguments[1]) else { throw BenchmarkFailure("'\(arguments[1])' is not a digest") }
        let identity = RendererIdentity(tag: RendererTag(arguments[0]), fonts: FontSet(fonts))
        let agent = try home.agent(renderer: NoRenderer(passingFor: identity), events: events)
        agent.beginUpkeep()
        record.standing = ProcessFigures.wallMilliseconds
        record.folders = events.watcher.state.folders
        record.standingMebibytes = try ProcessFigures.peakMebibytes()
        if let trouble = events.watcher.state.trouble { throw BenchmarkFailure("\(trouble)") }
        let compared = Arrival(home.clock)
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

    @LoopActor
    private func save() async throws -> SaveRuns {
        let events = home.events()
        let agent = try home.agent(renderer: try pool(), events: events)
        var runs = SaveRuns()
        agent.beginUpkeep()
        agent.reconcile()
        await agent.settled()
        try await runs.measure(
            agent, events, tree(arguments[0]), AttachmentID(arguments[1]), saves: Int(arguments[2]) ?? 0, clock: home.clock)
        runs.peakMebibytes = try ProcessFigures.peakMebibytes()
        await agent.stop()
        return runs
    }
}
