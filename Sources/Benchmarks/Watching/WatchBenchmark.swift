import DemoService
import Model
import Platform

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
            let filled = try await HomeFiller(home: home, apiURL: service.apiURL, annotationsURL: service.annotationsURL).measured()
            measured.add("first_reading_s@\(size)", "s", filled.seconds)
            measured += try await starts(home, filled.renderer, times: request.isQuick ? 2 : 7)
            let saves = request.runs(quick: 20, usual: 500)
            measured += try await MarkSaver(home: home, attachment: filled.attachment, saves: saves).measured()
        }
        return BenchmarkReport(missing: peers.filter { RunningProgram.find($0) == nil }, figures: measured.figures)
    }

    /// Starts of the agent, in turn with the peers'.
    private static func starts(_ home: WatchedHome, _ renderer: RendererIdentity, times: Int) async throws -> Measurements {
        var starts = Measurements()
        let (size, installed) = (home.files, peers.compactMap { peer in RunningProgram.find(peer).map { (peer, $0) } })
        try await RunningProgram.shell("find '\(home.folder)' -printf '%T@ %b' > /dev/null")
        for _ in 0..<times {
            let begun = ProcessFigures.wallMilliseconds
            starts += try await HomeStarter(home: home, renderer: renderer, begun: begun).measured()
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
