import DemoService
import Platform

/// Mark files that the agent watches: how soon a save is noticed and shown, and what starting takes.
enum WatchBenchmark {
    private static let sizes = [10, 1000, 50_000]
    private static let saves = 500
    private static let starts = 7

    /// The starts on one tree, measured in turn with the others.
    private struct Starts {
        var standing: [Double] = []
        var compared: [Double] = []
        var settled: [Double] = []
        var standingMebibytes: [Double] = []
        var peakMebibytes: [Double] = []
        var peers: [WatchPeer: [Double]] = [:]
    }

    @Sendable
    static func run(_ request: BenchmarkRequest) throws -> BenchmarkReport {
        let sizes = sizes.filter { $0 <= request.entries ?? (request.isQuick ? 1000 : Int.max) }
        let figures = try onLoop {
            var figures: [Figure] = []
            for size in sizes {
                figures += try await measure(
                    size, saves: request.runs ?? (request.isQuick ? 20 : saves), starts: request.isQuick ? 2 : starts)
            }
            return figures
        }
        return BenchmarkReport(
            "watch", missing: WatchPeer.allCases.filter { $0.program == nil }.map(\.rawValue), figures: figures, notes: notes)
    }

    @LoopActor
    private static func measure(_ size: Int, saves: Int, starts count: Int) async throws -> [Figure] {
        let scratch = try ScratchFolder()
        defer { scratch.remove() }
        let home = WatchedHome(folder: scratch.path)
        let service = try DemoService.start(limit: .generous)
        let filled: WatchingProcess.Filled
        do {
            defer { service.stop() }
            filled = try await MeasuredProcess.run(
                [WatchingProcess.word, "fill", home.folder, service.apiURL, service.annotationsURL, "\(size)"])
        }
        let starts = try await start(home, filled, folders: size, times: count)
        let runs: SaveRuns = try await MeasuredProcess.run(
            [WatchingProcess.word, "save", home.folder, "\(size)", filled.attachment, "\(saves)"])
        return [Figure("first_reading_s@\(size)", unit: "s", runs: [filled.seconds])] + Self.figures(starts, size)
            + Self.figures(runs, size)
    }

    @LoopActor
    private static func start(
        _ home: WatchedHome, _ filled: WatchingProcess.Filled, folders size: Int, times: Int
    ) async throws -> Starts {
        var starts = Starts()
        _ = try await Shell.run("find '\(home.folder)' -printf '%T@ %b' > /dev/null")
        for _ in 0..<times {
            let start = ProcessFigures.wallMilliseconds
            let record: WatchingProcess.Started = try await MeasuredProcess.run(
                [WatchingProcess.word, "start", home.folder, filled.tag, filled.fonts])
            guard record.folders > size / 10 else { throw BenchmarkFailure("\(record.folders) folders were watched") }
            starts.standing.append(record.standing - start)
            starts.compared.append(record.compared - start)
            starts.settled.append(record.settled - start)
            starts.standingMebibytes.append(record.standingMebibytes)
            starts.peakMebibytes.append(record.peakMebibytes)
            for peer in WatchPeer.allCases where peer.program != nil {
                starts.peers[peer, default: []].append(try await peer.startUp(on: home.music))
            }
        }
        return starts
    }

    private static func figures(_ starts: Starts, _ size: Int) -> [Figure] {
        var figures = [
            Figure("startup_ms@\(size)", unit: "ms", runs: starts.standing),
            Figure("startup_compared_ms@\(size)", unit: "ms", runs: starts.compared),
            Figure("startup_settled_ms@\(size)", unit: "ms", runs: starts.settled),
            Figure("watch_standing_mib@\(size)", unit: "MiB", runs: starts.standingMebibytes),
            Figure("watch_mib@\(size)", unit: "MiB", runs: starts.peakMebibytes),
        ]
        for peer in WatchPeer.allCases {
            guard let theirs = starts.peers[peer] else { continue }
            func ratio(_ name: String, _ ours: [Double]) -> Figure {
                Figure("\(name)@\(size)/\(peer.rawValue)", unit: "ratio", runs: zip(ours, theirs).map { $0 / $1 })
            }
            figures.append(Figure("startup_ms@\(size)_\(peer.rawValue)", unit: "ms", runs: theirs))
            figures += [ratio("startup", starts.standing), ratio("startup_compared", starts.compared)]
        }
        return figures
    }

    private static func figures(_ runs: SaveRuns, _ size: Int) -> [Figure] {
        func figures(_ name: String, _ values: [Double]) -> [Figure] {
            [("p50", 0.5), ("p95", 0.95), ("p99", 0.99)].map { label, share in
                Figure("\(name)_\(label)_ms@\(size)", unit: "ms", runs: [values.percentile(share)])
            } + [Figure("\(name)_ms@\(size)", unit: "ms", runs: values)]
        }
        return figures("detect", runs.detected) + figures("save_to_image", runs.imaged)
            + [Figure("saving_mib@\(size)", unit: "MiB", runs: [runs.peakMebibytes])]
    }

    private static let notes = [
        "detect: from just before the file is closed or renamed to the event on the agent's loop, which reads earlier saves meanwhile; "
            + "no settling is in it.",
        "save_to_image: until the image has its name in the cache, the 150 ms that a file must stay unchanged included.",
        "startup: from the start of the process until all watches are set; startup_compared: until every file was compared with the library "
            + "and what is wanted was derived, without the start of a worker. Of watchman, without its server's start, with its client's.",
        "startup_settled: until the files without a chart were also checked for one, which nobody waits for.",
        "watch_mib: the most memory of the whole process until all that was done; watch_standing_mib: once the watches were set.",
    ]
}
