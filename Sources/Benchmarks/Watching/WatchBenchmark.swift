import DemoService
import Platform

/// Mark files that the agent watches: how soon a save is noticed and shown, and what starting takes.
@LoopActor
enum WatchBenchmark {
    private static let peers = ["inotifywait", "watchman"]

    static func run(_ request: BenchmarkRequest, in folder: String) async throws -> BenchmarkReport {
        let most = request.number(.entries, quick: 1000, usual: Int.max)
        var figures: [Figure] = []
        for size in [10, 1000, 50_000] where size <= most {
            let home = WatchedHome(folder: "\(folder)/\(size)", files: size)
            let service = try DemoService.start(limit: .generous)
            let filled: HomeFiller.Record
            do {
                defer { service.stop() }
                filled = try await HomeFiller(home: home, apiURL: service.apiURL, annotationsURL: service.annotationsURL).measured()
            }
            figures.append(Figure("first_reading_s@\(size)", unit: "s", runs: [filled.seconds]))
            figures += try await startFigures(home, filled, times: request.isQuick ? 2 : 7)
            let saves = request.number(.runs, quick: 20, usual: 500)
            figures += saveFigures(try await MarkSaver(home: home, attachment: filled.attachment, saves: saves).measured(), size)
        }
        return BenchmarkReport(missing: peers.filter { RunningProgram.find($0) == nil }, figures: figures)
    }

    /// Starts of the agent, in turn with the peers'.
    private static func startFigures(_ home: WatchedHome, _ filled: HomeFiller.Record, times: Int) async throws -> [Figure] {
        var starts: [HomeStarter.Record] = []
        var theirs: [String: [Double]] = [:]
        try await RunningProgram.shell("find '\(home.folder)' -printf '%T@ %b' > /dev/null")
        for _ in 0..<times {
            let begin = ProcessFigures.wallMilliseconds
            var start = try await HomeStarter(home: home, tag: filled.tag, fonts: filled.fonts).measured()
            guard start.folders > home.files / 10 else { throw BenchmarkFailure("\(start.folders) folders were watched") }
            start.standing -= begin
            start.compared -= begin
            start.settled -= begin
            starts.append(start)
            for peer in peers {
                guard let program = RunningProgram.find(peer) else { continue }
                let startUp = peer == "watchman" ? watchman : inotifywait
                theirs[peer, default: []].append(try await startUp(program, home))
            }
        }
        let size = home.files
        var figures = [
            Figure("startup_ms@\(size)", unit: "ms", runs: starts.map(\.standing)),
            Figure("startup_compared_ms@\(size)", unit: "ms", runs: starts.map(\.compared)),
            Figure("startup_settled_ms@\(size)", unit: "ms", runs: starts.map(\.settled)),
            Figure("watch_standing_mib@\(size)", unit: "MiB", runs: starts.map(\.standingMebibytes)),
            Figure("watch_mib@\(size)", unit: "MiB", runs: starts.map(\.peakMebibytes)),
        ]
        for (peer, times) in theirs.sorted(by: { $0.key < $1.key }) {
            figures.append(Figure("startup_ms@\(size)_\(peer)", unit: "ms", runs: times))
            for (name, ours) in [("startup", starts.map(\.standing)), ("startup_compared", starts.map(\.compared))] {
                figures.append(Figure("\(name)@\(size)/\(peer)", unit: "ratio", runs: zip(ours, times).map { $0 / $1 }))
            }
        }
        return figures
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

    private static func saveFigures(_ saves: MarkSaver.Record, _ size: Int) -> [Figure] {
        func figures(_ name: String, _ values: [Double]) -> [Figure] {
            [("p50", 0.5), ("p95", 0.95), ("p99", 0.99)].map { label, share in
                Figure("\(name)_\(label)_ms@\(size)", unit: "ms", runs: [values.percentile(share)])
            } + [Figure("\(name)_ms@\(size)", unit: "ms", runs: values)]
        }
        return figures("detect", saves.detected) + figures("save_to_image", saves.imaged)
            + [Figure("saving_mib@\(size)", unit: "MiB", runs: [saves.peakMebibytes])]
    }
}
