import CommandLine
import FoundationEssentials
import Glibc
import Platform

/// One measured number, with its spread.
public struct Figure: Hashable, Sendable, Codable {
    /// What was measured, under a name that does not change; compared with a peer, `<case>/<peer>` is the ratio ours / theirs.
    public let name: String
    /// The median of the runs.
    public let value: Double
    public let unit: String
    public let low: Double
    public let high: Double
    /// What 95 % of the runs did not exceed; only if there are enough runs for that to mean anything.
    public let p95: Double?
    public let runs: Int

    /// From this many runs on, the 95th percentile is not simply the highest.
    private static let runsForPercentile = 20

    /// Summarises the runs of one measurement.
    public init(_ name: String, unit: String, runs values: [Double]) {
        precondition(!values.isEmpty, "a figure needs a run")
        self.name = name
        self.unit = unit
        low = values.min() ?? .nan
        high = values.max() ?? .nan
        value = values.median
        p95 = values.count >= Self.runsForPercentile ? values.percentile(0.95) : nil
        runs = values.count
    }
}

/// The runs of what is measured, by the names of the figures that they become, in the order in which the first of each came.
struct Measurements: Codable, Sendable {
    private struct Series: Codable {
        let name: String
        let unit: String
        var runs: [Double]
    }

    private var series: [Series]

    init() { series = [] }

    private init(series: [Series]) { self.series = series }

    /// Adds runs to those of a figure; without any, there is no figure.
    mutating func add(_ name: String, _ unit: String, _ runs: [Double]) {
        if let place = series.firstIndex(where: { $0.name == name }) {
            series[place].runs += runs
        } else if !runs.isEmpty {
            series.append(Series(name: name, unit: unit, runs: runs))
        }
    }

    mutating func add(_ name: String, _ unit: String, _ run: Double) { add(name, unit, [run]) }

    static func += (all: inout Self, more: Self) {
        for each in more.series { all.add(each.name, each.unit, each.runs) }
    }

    /// The runs of a figure so far.
    subscript(name: String) -> [Double] { series.first { $0.name == name }?.runs ?? [] }

    /// Each run of one figure over that of another, which was measured in turn with it.
    mutating func compare(_ name: String, _ ours: String, over theirs: String) {
        add(name, "ratio", zip(self[ours], self[theirs]).map { $0 / $1 })
    }

    /// The same under names that end with this.
    func named(_ suffix: String) -> Measurements {
        Measurements(series: series.map { Series(name: $0.name + suffix, unit: $0.unit, runs: $0.runs) })
    }

    var figures: [Figure] { series.map { Figure($0.name, unit: $0.unit, runs: $0.runs) } }
}

extension [Double] {
    /// The middle value, or the mean of the two middle values; not a number if there are none.
    var median: Double {
        let sorted = self.sorted()
        guard !sorted.isEmpty else { return .nan }
        let middle = sorted.count / 2
        return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    }

    /// The smallest value that is not exceeded by at least this share of the values.
    func percentile(_ share: Double) -> Double {
        let sorted = self.sorted()
        guard !sorted.isEmpty else { return .nan }
        let rank = Int((share * Double(sorted.count)).rounded(.up))
        return sorted[Swift.min(Swift.max(rank, 1), sorted.count) - 1]
    }
}

/// What a benchmark measured, as a table for people and as JSON with names that do not change.
struct BenchmarkReport: Encodable {
    var bench = ""
    /// The commit of the folder that it was run in, if there is one.
    var commit = Self.currentCommit
    var machine = Self.thisMachine
    /// Peers that were not installed, so nothing could be compared with them.
    var missing: [String] = []
    var figures: [Figure]
    /// What was left out, and what else is to be known of this run, a sentence each.
    var notes: [String] = []

    var json: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
    }

    var table: String {
        var rows = TextTable(["figure", "median", "low", "high", "p95", "unit", "runs"])
        for figure in figures {
            let numbers = [figure.value, figure.low, figure.high, figure.p95].map { $0.map { Self.text($0) } ?? "" }
            rows.add(([figure.name] + numbers + [figure.unit, "\(figure.runs)"]).map { TextTable.Cell($0) })
        }
        let absent = missing.isEmpty ? [] : ["not installed, so not measured against: " + missing.joined(separator: ", ")]
        let more = "what the figures count: woodshed help measurements"
        return (["\(bench) on \(machine)"] + rows.lines() + absent + notes + [more]).joined(separator: "\n")
    }

    /// Read from the folder itself, so that git need not be installed.
    private static var currentCommit: String {
        let head = firstLine(of: ".git/HEAD")
        return String((head.hasPrefix("ref: ") ? firstLine(of: ".git/" + head.dropFirst(5)) : head).prefix(12))
    }

    private static var thisMachine: String {
        let model = firstLine(of: "/proc/cpuinfo", beginning: "model name").split(separator: ":").last ?? "unknown processor"
        return "\(model.drop { $0 == " " }), \(sysconf(Int32(_SC_NPROCESSORS_ONLN))) cores"
    }

    private static func firstLine(of path: String, beginning: String = "") -> String {
        let text = String(decoding: (try? AtomicFile.read(path, limit: 1 << 20)) ?? [], as: UTF8.self)
        return text.split(separator: "\n").first { $0.hasPrefix(beginning) }.map(String.init) ?? ""
    }

    /// A number for people: whole numbers as they are, others with this many digits.
    static func text(_ value: Double, digits: Int = 3) -> String {
        guard value.isFinite else { return "-" }
        if let whole = Int(exactly: value) { return String(whole) }
        let scale = (0..<digits).reduce(1) { product, _ in product * 10 }
        let count = Int((value.magnitude * Double(scale)).rounded())
        let fraction = String(count % scale)
        let whole = (value < 0 && count > 0 ? "-" : "") + String(count / scale)
        return digits == 0 ? whole : whole + "." + String(repeating: "0", count: digits - fraction.count) + fraction
    }
}
