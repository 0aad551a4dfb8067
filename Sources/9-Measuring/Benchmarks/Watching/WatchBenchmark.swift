import Agent
import DemoService
import Glibc
import HTTPClient
import Marks
import Model
import Platform
import Rendering
import Watching

/// Mark files that the agent watches: how soon a save is noticed and shown, and what starting takes.
@LoopActor
enum WatchBenchmark {
    private static let peers = ["inotifywait", "watchman"]

    static func run(_ request: BenchmarkRequest, in folder: String) async throws -> BenchmarkReport {
        var measured = Measurements()
        for size in request.isQuick ? [10, 1000] : [10, 1000, 50_000] {
            let home = WatchedHome(folder: "\(folder)/\(size)", files: size)
            let service = try DemoService.start(limit: .generous)
            defer { service.stop() }
            let filled = try await FilledHome(home, from: service)
            measured.add("first_reading_s@\(size)", "s", filled.seconds)
            measured += try await starts(filled, times: request.isQuick ? 2 : 7)
            let saves = request.runs(quick: 20, usual: 500)
            measured += try await MarkSaver(filled: filled, saves: saves).measured()
        }
        return BenchmarkReport(missing: peers.filter { RunningProgram.find($0) == nil }, figures: measured.figures)
    }

    /// Starts of the agent, in turn with the peers'.
    private static func starts(_ filled: FilledHome, times: Int) async throws -> Measurements {
        var starts = Measurements()
        let (home, size) = (filled.home, filled.home.files)
        let installed = peers.compactMap { peer in RunningProgram.find(peer).map { (peer, $0) } }
        try await RunningProgram.shell("find '\(home.folder)' -printf '%T@ %b' > /dev/null")
        for _ in 0..<times {
            let begun = ProcessFigures.wallMilliseconds
            starts += try await HomeStarter(filled: filled, begun: begun).measured()
            for (peer, program) in installed {
                let startUp = peer == "watchman" ? watchman : inotifywait
                starts.add("startup_ms@\(size)_\(peer)", "ms", try await startUp(program, home))
            }
        }
        for (peer, _) in installed {
            for name in ["startup", "startup_compared"] {
                starts.compare("\(name)@\(size)/\(peer)", "\(name)_ms@\(size)", over: "startup_ms@\(size)_\(peer)")
            }
        }
        return starts
    }

    /// Milliseconds from the start of the process until it reports that the watches are established.
    private static func inotifywait(_ program: String, _ home: WatchedHome) async throws -> Double {
        let start = ProcessFigures.wallMilliseconds
        let watcher = try RunningProgram(program, ["-m", "-r", home.music], log: home.folder + "/inotifywait.\(start)")
        try await watcher.says("established", within: .seconds(300), lookedForEvery: .milliseconds(1))
        let standing = ProcessFigures.wallMilliseconds
        await watcher.end()
        return standing - start
    }

    /// With the server already running, milliseconds from the watch command until the answer to a first query, which waits for the crawl.
    private static func watchman(_ program: String, _ home: WatchedHome) async throws -> Double {
        let scratch = try ScratchFolder()
        defer { scratch.remove() }
        let place = scratch.path
        let files = ["--sockname=\(place)/socket", "--logfile=\(place)/log", "--pidfile=\(place)/pid"]
        let server = try RunningProgram(
            program, ["--foreground", "--no-save-state"] + files, environment: ["HOME=\(place)"], log: place + "/output")
        let ask = "\(program) --no-spawn --sockname='\(place)/socket'"
        do {
            try await RunningProgram.shell("for i in $(seq 500); do \(ask) get-pid 2>&1 && exit 0; sleep 0.02; done; exit 1")
            let cost = try await RunningProgram.shell("\(ask) watch '\(home.music)' && \(ask) since '\(home.music)' c:1:1 '*.none'")
            await server.end()
            return cost.wall
        } catch {
            await server.end()
            throw error
        }
    }
}

/// A library, a cache and folders of small mark files, as they pile up over years of playing: most of them are for charts that are no
/// longer here; and the agents that are started on them.
struct WatchedHome: Codable, Sendable {
    let folder: String
    /// How many mark files there are.
    let files: Int

    /// How many of the files are for a chart that is here; they come first.
    static let matched = 3
    /// Which makes 5,000 folders for 50,000 files.
    private static let filesPerFolder = 10

    /// The folder of the mark files.
    var music: String { folder + "/music" }

    // MARK: - Agents

    /// An agent like the program's, except for the folder of charts; it reads marks only if it has `events`.
    @LoopActor
    func agent(
        renderer: any PageRenderer, events: TimedEvents? = nil, service: (api: String, annotations: String)? = nil
    ) throws -> Agent {
        let transport = CurlTransport(userAgent: "woodshed-bench", allowsInsecureLoopback: true, time: SystemClock())
        let marks = events == nil ? MarkSettings() : MarkSettings(roots: MarkRoots([music]))
        return try Agent.measured(
            in: folder, renderer: renderer, service: service ?? ("http://127.0.0.1:9", "http://127.0.0.1:9"), transport: transport,
            events: events, settings: AgentSettings(marks: marks))
    }

    /// A watcher for everything that an agent watches.
    @LoopActor
    func events() -> TimedEvents {
        TimedEvents(FolderWatcher([.pageCache(folder + "/cache"), .marks(music, MarkRoots([music]))], clock: SystemClock()))
    }

    // MARK: - Mark files

    /// Writes all files; the first few are for `attachment`.
    func fill(for attachment: AttachmentID) throws {
        for file in 0..<files {
            if file % Self.filesPerFolder == 0 { try Folder.create(Folder.parent(of: path(file))) }
            let text = file < Self.matched ? Self.layer(of: attachment.text, [file]) : other(file, saves: 0)
            _ = try Self.save(text, to: path(file), inPlace: true)
        }
    }

    func path(_ file: Int) -> String {
        let place = file / Self.filesPerFolder
        let ending = file < Self.matched || file % 2 == 0 ? ".marks.json" : ".xopp"
        return "\(music)/\(place / 100)/\(place % 100)/Song \(file)\(ending)"
    }

    /// The contents of a file for a chart that is not here, to which each save has added a mark.
    func other(_ file: Int, saves: Int) -> String {
        let places = (0...saves).map { (file * 7 + $0 * 13) % 800 + 100 }
        guard path(file).hasSuffix(".xopp") else { return Self.layer(of: "gone-\(file)", places) }
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

    /// A native layer with strokes that are different for each number, on the first page if nothing else is said.
    static func layer(of attachment: String, _ marks: [Int], page: (Int) -> Int = { _ in 0 }) -> String {
        let strokes = marks.map { number in
            let (x, y) = (Double(number % 37 + 1) / 40, Double(number % 41 + 1) / 44)
            return """
                {"id":"m\(number)","page":\(page(number)),"kind":"pen","color":"#1a5fb4","width":0.003,\
                "points":[[\(x),\(y)],[\(x + 0.02),\(y + 0.01)],[\(x + 0.03),\(y)]],"created_at":"2026-11-18T20:31:31Z"}
                """
        }
        return #"{"version":1,"attachment_id":"\#(attachment)","name":"mine","marks":[\#(strokes.joined(separator: ","))]}"#
    }

    /// Saves a file, in place or by renaming as editors do; returns the time just before it was closed or renamed.
    static func save(_ text: String, to path: String, inPlace: Bool) throws -> Double {
        let target = inPlace ? path : Folder.parent(of: path) + "/.saving"
        let saved: Double
        do {
            let file = try Descriptor.open(target, O_WRONLY | O_CREAT | O_TRUNC)
            try Array(text.utf8).withUnsafeBytes { try file.write($0) }
            saved = ProcessFigures.wallMilliseconds
        }
        guard !inPlace else { return saved }
        let renamed = ProcessFigures.wallMilliseconds
        guard rename(target, path) == 0 else { throw SystemError("rename", path: path) }
        return renamed
    }
}
