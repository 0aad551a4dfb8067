import BenchmarkCorpus
import Glibc
import Model
import Platform

/// The peers that make PNG images of a PDF's pages.
extension Peer {
    static let drawing: [Peer] = [.pdftocairo, .mutoolGray]

    /// The peers that are installed on this machine.
    static var installed: [Peer] { drawing.filter { $0.path != nil } }

    /// The cost of one process, from start to end, that draws some pages (counted from 1) of a chart to an otherwise empty folder.
    @LoopActor
    func run(_ pages: ClosedRange<Int>, like page: CorpusPage, in folder: String) async throws -> Cost {
        let path = try path.required("\(program) is not installed")
        let arguments = arguments(pages, page, folder)
        // The peer keeps its font cache in the home folder.
        let environment = getenv("HOME").map { ["HOME=\(String(cString: $0))"] } ?? []
        let (exit, cost) = try await RunningProgram.run(path, arguments, environment: environment, isQuiet: true)
        let made = try Folder.names(in: folder)
        for name in made { unlink(folder + "/" + name) }
        try require(
            exit == .code(0) && made.count == pages.count,
            "\(program) \(arguments.joined(separator: " ")): it \(exit) and made \(made.count) of \(pages.count) pages")
        return cost
    }

    /// The CPU times from which the cost of a start is computed: the time of one process for each page, and the time of one process
    /// for all pages of a chart. Nil if the chart has only one page, or if its pages differ in width.
    @LoopActor
    func startUp(
        on chart: some Collection<CorpusPage>, in folder: String, runs: Int = 1
    ) async throws -> (separate: [Double], together: Double)? {
        guard let first = chart.first, chart.count > 1, chart.allSatisfy({ $0.width == first.width }) else { return nil }
        // The smallest of the runs, since other activity on the machine only adds CPU time.
        func least(_ numbers: ClosedRange<Int>, like page: CorpusPage) async throws -> Double {
            var least = Double.infinity
            for _ in 1...runs { least = min(least, try await run(numbers, like: page, in: folder).cpu) }
            return least
        }
        var separate: [Double] = []
        for page in chart { separate.append(try await least(page.index.number...page.index.number, like: page)) }
        return (separate, try await least(1...chart.count, like: first))
    }

    /// The arguments to draw pages at our size.
    private func arguments(_ pages: ClosedRange<Int>, _ page: CorpusPage, _ folder: String) -> [String] {
        let (first, last, target) = ("\(pages.lowerBound)", "\(pages.upperBound)", folder + "/" + rawValue)
        if self == .pdftocairo {
            return ["-png", "-scale-to", "\(max(page.width, page.height))", "-f", first, "-l", last, page.chart.path, target]
        }
        let size = ["-w", "\(page.width)", "-h", "\(page.height)"]
        return ["draw", "-q", "-c", "gray"] + size + ["-o", target + "-%d.png", page.chart.path, "\(first)-\(last)"]
    }
}

/// The cost of starting a program for every page.
///
/// A peer that draws a whole chart in one process starts only once. Our costs are compared with this cheaper case. So all of the
/// start except the page's equal share is subtracted from the cost of a process for a single page.
struct StartUp: Hashable, Sendable {
    /// CPU milliseconds of one start; never negative.
    let milliseconds: Double

    /// The median, over some charts, of the extra cost per start if every page has its own process. Zero without charts of several pages.
    init(_ charts: [(separate: [Double], together: Double)]) {
        let starts = charts.filter { $0.separate.count > 1 }.map { chart in
            (chart.separate.reduce(0, +) - chart.together) / Double(chart.separate.count - 1)
        }
        milliseconds = starts.isEmpty ? 0 : max(0, starts.median)
    }

    /// A note with the cost of a start for each peer.
    static func note(_ startUps: [Peer: StartUp]) -> String {
        let starts = Peer.drawing.compactMap { peer in
            startUps[peer].map { "\(peer.rawValue) \(BenchmarkReport.text($0.milliseconds, digits: 1))" }
        }
        return "subtracted from a peer's process for its start, ms: \(starts.joined(separator: ", "))"
    }

    /// A page's share of a process for all `pageCount` pages, if a process for this page alone costs `measured`.
    func share(of measured: Double, pageCount: Int) -> Double { measured - milliseconds * (1 - 1 / Double(pageCount)) }
}

/// Our costs compared with the peers': ratios by page and by run, and summaries of them.
struct Comparison: Sendable {
    /// For each page, the runs of our costs and, under each peer's name, the runs of that peer's CPU time, measured in turn with ours.
    let pages: [CorpusPage: Measurements]
    let startUps: [Peer: StartUp]

    /// The comparison restricted to the photographs made for measuring, since photographs from other folders may be smaller or simpler.
    var photographs: Comparison { Comparison(pages: pages.filter { $0.key.chart.isPhotograph }, startUps: startUps) }

    /// For each run, our CPU time for plain image and thumbnail, divided by the peer's for its single image. The peer's time is the
    /// image's share in a process that draws the whole chart.
    func ratios(_ page: CorpusPage, _ peer: Peer) -> [Double] {
        let (startUp, runs) = (startUps[peer] ?? StartUp([]), pages[page] ?? Measurements())
        return zip(runs["plain_thumbnail_ms"], runs[peer.rawValue]).map { $0 / startUp.share(of: $1, pageCount: page.pageCount) }
    }

    /// For each run, the median of a figure over the pages of a class.
    func medians(_ kind: PageClass, _ name: String) -> [Double] {
        Self.medians(pages.filter { $0.key.kind == kind }.map { $0.value[name] })
    }

    /// For each run, the median ratio over the pages of a class.
    func medians(_ kind: PageClass, _ peer: Peer) -> [Double] {
        Self.medians(pages.keys.filter { $0.kind == kind }.map { ratios($0, peer) })
    }

    private static func medians(_ pages: [[Double]]) -> [Double] {
        (0..<(pages.map(\.count).min() ?? 0)).map { run in pages.map { $0[run] }.median }
    }

    /// The engraved page whose ratios have the largest median, and these ratios.
    func worst(_ peer: Peer) -> (page: CorpusPage, ratios: [Double])? {
        pages.keys.filter { $0.kind == .engraved }.map { ($0, ratios($0, peer)) }.filter { !$0.1.isEmpty }
            .max { $0.1.median < $1.1.median }
    }
}
