import CommandLine
import Glibc
import Platform

/// One measured number, with its spread.
struct Figure: Encodable {
    /// This name is the same in all versions. In a comparison with a peer, `<case>/<peer>` is the ratio ours / theirs.
    let name: String
    /// The median of the runs.
    let value: Double
    let unit: String
    let low: Double
    let high: Double
    /// At least 95 % of the runs did not exceed this value. Nil for fewer than 20 runs, for which it would simply be the highest.
    let p95: Double?
    let runs: Int

    init(_ name: String, unit: String, runs values: [Double]) {
        precondition(!values.isEmpty, "a figure needs a run")
        (self.name, self.unit, runs) = (name, unit, values.count)
        (low, value, high) = (values.min() ?? .nan, values.median, values.max() ?? .nan)
        p95 = values.count >= 20 ? values.percentile(0.95) : nil
    }
}

/// All measured runs by the name of their figure, in the order in which the names were first added.
struct Measurements: Codable, Sendable {
    struct Series: Codable {
        fileprivate(set) var name: String
        let unit: String
        fileprivate(set) var runs: [Double]
    }

    private(set) var series: [Series] = []

    /// Adds runs to a figure. Without runs, no figure is created.
    mutating func add(_ name: String, _ unit: String, _ runs: [Double]) {
        if let place = series.firstIndex(where: { $0.name == name }) {
            series[place].runs += runs
        } else if !runs.isEmpty {
            series.append(Series(name: name, unit: unit, runs: runs))
        }
    }

    mutating func add(_ name: String, _ unit: String, _ run: Double) { add(name, unit, [run]) }

    static func += (all: inout Self, more: Self) { for each in more.series { all.add(each.name, each.unit, each.runs) } }

    subscript(name: String) -> [Double] { series.first { $0.name == name }?.runs ?? [] }

    /// Adds the ratio of two figures for each pair of runs, which were measured in turn.
    mutating func compare(_ name: String, _ ours: String, over theirs: String) {
        add(name, "ratio", zip(self[ours], self[theirs]).map { $0 / $1 })
    }

    /// The same measurements with `suffix` added to each name.
    func named(_ suffix: String) -> Measurements {
        var named = self
        for place in series.indices { named.series[place].name += suffix }
        return named
    }
}

extension [Double] {
    /// The middle value, or the mean of the two middle values. Not a number if there are no values.
    var median: Double {
        let sorted = self.sorted()
        guard !sorted.isEmpty else { return .nan }
        let middle = sorted.count / 2
        return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    }

    /// The smallest value such that at least this share of the values do not exceed it. Not a number if there are no values.
    func percentile(_ share: Double) -> Double {
        let sorted = self.sorted()
        guard !sorted.isEmpty else { return .nan }
        let rank = Int((share * Double(sorted.count)).rounded(.up))
        return sorted[Swift.min(Swift.max(rank, 1), sorted.count) - 1]
    }
}

/// A benchmark's figures, as a table for people and as JSON with names that do not change.
struct BenchmarkReport: Encodable {
    var bench = ""
    /// The commit of the working directory's repository, if any.
    private let commit = Self.currentCommit
    private let machine = Self.thisMachine
    /// Programs for comparison that are not installed.
    private let missing: [String]
    private let figures: [Figure]
    /// Sentences about this run, for instance about PDFs left out.
    private let notes: [String]

    init(_ measured: Measurements, beside peers: [Peer] = [], missing: [String] = [], notes: [String] = []) {
        figures = measured.series.map { Figure($0.name, unit: $0.unit, runs: $0.runs) }
        self.missing = missing + peers.filter { $0.path == nil }.map(\.rawValue)
        self.notes = notes
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

    /// Read from the repository's files, so git need not be installed.
    private static var currentCommit: String {
        let head = firstLine(of: ".git/HEAD")
        return String((head.hasPrefix("ref: ") ? firstLine(of: ".git/" + head.dropFirst(5)) : head).prefix(12))
    }

    private static var thisMachine: String {
        let model = firstLine(of: "/proc/cpuinfo", beginning: "model name").split(separator: ":").last ?? "unknown processor"
        return "\(model.drop { $0 == " " }), \(sysconf(Int32(_SC_NPROCESSORS_ONLN))) cores"
    }

    private static func firstLine(of path: String, beginning: String = "") -> Substring {
        (try? contents(of: path))?.split(separator: "\n").first { $0.hasPrefix(beginning) } ?? ""
    }

    /// Formats a number for people: whole numbers without a fraction, others with `digits` decimals.
    static func text(_ value: Double, digits: Int = 3) -> String {
        guard value.isFinite else { return "-" }
        if let whole = Int(exactly: value) { return String(whole) }
        let rounded = String(Int((value.magnitude * pow(10, Double(digits))).rounded()))
        let padded = String(repeating: "0", count: max(0, digits + 1 - rounded.count)) + rounded
        let sign = value < 0 && rounded != "0" ? "-" : ""
        return sign + padded.dropLast(digits) + (digits == 0 ? "" : "." + padded.suffix(digits))
    }
}
