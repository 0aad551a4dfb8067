import Freshness
import Glibc
import Model

/// How long it takes to derive what is wanted, subtract what is there, and order the rest; and to ask a library on the disk for
/// it whose charts all have marks.
enum PlanBenchmark {
    private static let runs = 9

    @Sendable
    static func run(_ request: BenchmarkRequest) throws -> BenchmarkReport {
        BenchmarkReport(
            "plan", figures: [10, 100, 1000].map { charts in figure(charts: charts) } + (try markedFigures(charts: 1000, marks: 200)))
    }

    /// The first look reads every mark; the next process finds the digests, and whoever looks again finds them in memory.
    private static func markedFigures(charts: Int, marks: Int) throws -> [Figure] {
        let folder = try ScratchFolder()
        let heavy = try ScratchFolder()
        defer {
            folder.remove()
            heavy.remove()
        }
        let (mebibytes, reading, starting) = try onLoop { [path = folder.path, heavy = heavy.path] in
            // First, for what the others leave behind in memory would be counted.
            let mebibytes = try MarkedLibrary.mebibytes(at: heavy, charts: 200, marks: 2000)
            try MarkedLibrary.make(in: path, charts: charts, marks: marks)
            return (mebibytes, try MarkedLibrary.look(at: path, charts: charts), try MarkedLibrary.look(at: path, charts: charts))
        }
        return [
            Figure("marked_read_ms@\(charts)", unit: "ms", runs: [reading.first]),
            Figure("marked_start_ms@\(charts)", unit: "ms", runs: [starting.first]),
            Figure("marked_reconcile_ms@\(charts)", unit: "ms", runs: starting.later),
            Figure("marked_mib@200", unit: "MiB", runs: [mebibytes]),
        ]
    }

    /// Half of the images are there, as after a trim: both halves of the subtraction have work to do.
    private static func figure(charts: Int) -> Figure {
        let library = library(charts: charts)
        let renderer = RendererIdentity(tag: RendererTag("benchmark"), fonts: FontSet(SHA256.digest(of: "")))
        let rules = WantedSet.Rules(settings: RenderSettings(), renderer: renderer, ahead: .seconds(28 * 86_400))
        let present = Set(WantedSet(library, rules: rules, now: now).images.enumerated().filter { $0.offset % 2 == 0 }.map(\.element.name))
        let milliseconds = (0..<runs).map { _ in
            let start = cpuMilliseconds()
            let wanted = WantedSet(library, rules: rules, now: now)
            let works = PageWork.group(wanted.missing(from: present))
            let surplus = wanted.surplus(in: present)
            precondition(!works.isEmpty && surplus.isEmpty)
            return cpuMilliseconds() - start
        }
        return Figure("reconcile_ms@\(charts)", unit: "ms", runs: milliseconds)
    }

    private static let now = Timestamp(nanoseconds: 1_795_251_600_000_000_000)

    /// Ten pages a chart, every fifth with marks, ten charts a plan, a plan a day within reach.
    private static func library(charts: Int) -> LibrarySnapshot {
        LibrarySnapshot(
            plans: (0..<charts / 10).map { plan in
                let time = now + .seconds(86_400 * (plan % 28))
                return PlanSnapshot(
                    plan: Plan(id: PlanID("\(plan)"), serviceType: ServiceTypeID("1"), firstTime: time, lastTime: time),
                    charts: (0..<10).map { place in
                        let name = "\(plan) \(place)"
                        return ChartSnapshot(
                            attachment: AttachmentID(name), hash: ChartHash(SHA256.digest(of: name)), pageCount: 10,
                            marks: [0: 0, 5: 5].reduce(into: [:]) {
                                $0[PageIndex($1.key)] = MarkDigest(SHA256.digest(of: "\(name) \($1.value)"))
                            })
                    })
            })
    }

    private static func cpuMilliseconds() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1000 + Double(time.tv_nsec) / 1e6
    }
}
