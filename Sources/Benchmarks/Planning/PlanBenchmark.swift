import Platform

/// How long it takes to work out what has to be made for a library on disk; and what is wanted for a library in which every chart
/// has many marks.
enum PlanBenchmark {
    private static let runs = 9
    private static let quickRuns = 3

    @Sendable
    static func run(_ request: BenchmarkRequest) throws -> BenchmarkReport {
        let folder = try ScratchFolder()
        defer { folder.remove() }
        return BenchmarkReport(
            "plan",
            figures: try onLoop { [path = folder.path] in
                // Memory first, since what the other measurements leave behind in it would be counted.
                let marked = try markedFigures(
                    below: path, charts: request.isQuick ? 100 : 1000, heavy: request.isQuick ? 20 : 200, marks: 200)
                return try [10, 100, 1000].map { charts throws in
                    try reconcile(below: path, charts: charts, runs: request.isQuick ? quickRuns : runs)
                } + marked
            })
    }

    /// What an agent does at each look, except for reading files: takes the library's state, works out what is wanted, finds out what
    /// is there and what there is room for, and groups the rest by page.
    @LoopActor
    private static func reconcile(below folder: String, charts: Int, runs: Int) throws -> Figure {
        let library = "\(folder)/\(charts)"
        try MarkedLibrary.make(in: library, charts: charts, marks: 2)
        let milliseconds = try MarkedLibrary.reconcile(at: library, cache: "\(folder)/cache", runs: runs)
        return Figure("reconcile_ms@\(charts)", unit: "ms", runs: milliseconds)
    }

    /// The first look reads every mark; a later process finds the digests in the library, and a later look finds them in memory.
    @LoopActor
    private static func markedFigures(below folder: String, charts: Int, heavy: Int, marks: Int) throws -> [Figure] {
        let mebibytes = try MarkedLibrary.mebibytes(at: folder + "/heavy", charts: heavy, marks: 2000)
        let library = folder + "/marked"
        try MarkedLibrary.make(in: library, charts: charts, marks: marks)
        let reading = try MarkedLibrary.look(at: library, charts: charts)
        let starting = try MarkedLibrary.look(at: library, charts: charts)
        return [
            Figure("marked_read_ms@\(charts)", unit: "ms", runs: [reading.first]),
            Figure("marked_start_ms@\(charts)", unit: "ms", runs: [starting.first]),
            Figure("marked_reconcile_ms@\(charts)", unit: "ms", runs: starting.later),
            Figure("marked_mib@\(heavy)", unit: "MiB", runs: [mebibytes]),
        ]
    }
}
