import FoundationEssentials
import Glibc
import Platform

/// What a benchmark measured, as a table for people and as JSON with names that stay.
struct BenchmarkReport: Codable {
    var bench: String
    /// The commit of the folder it was run in, where there is one.
    var commit: String
    var machine: String
    /// Peers that were not there to be measured against.
    var missing: [String]
    var figures: [Figure]

    init(_ bench: String, missing: [String] = [], figures: [Figure]) {
        self.bench = bench
        self.missing = missing
        self.figures = figures
        commit = Self.currentCommit
        machine = Self.thisMachine
    }

    var json: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
    }

    var table: String {
        let rows =
            [["figure", "median", "low", "high", "unit", "runs"]]
            + figures.map { [$0.name, Self.text($0.value), Self.text($0.low), Self.text($0.high), $0.unit, "\($0.runs)"] }
        let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        let lines = rows.map { row in
            zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }.joined(separator: "  ")
        }
        return (["\(bench) on \(machine)"] + lines + (missing.isEmpty ? [] : ["not installed: " + missing.joined(separator: ", ")]))
            .joined(separator: "\n")
    }

    private static func text(_ value: Double) -> String {
        if let whole = Int(exactly: value) { return String(whole) }
        let thousandths = Int((value * 1000).rounded())
        let fraction = String(thousandths % 1000)
        return "\(thousandths / 1000)." + String(repeating: "0", count: 3 - fraction.count) + fraction
    }

    /// Read from the folder itself, so that no git is needed.
    private static var currentCommit: String {
        func text(_ path: String) -> String? {
            (try? AtomicFile.read(path, limit: 65536)).map {
                String(decoding: $0, as: UTF8.self).split(separator: "\n").first.map(String.init) ?? ""
            }
        }
        guard let head = text(".git/HEAD") else { return "" }
        guard head.hasPrefix("ref: ") else { return String(head.prefix(12)) }
        return String((text(".git/" + head.dropFirst(5)) ?? "").prefix(12))
    }

    private static var thisMachine: String {
        let cores = sysconf(Int32(_SC_NPROCESSORS_ONLN))
        let info = (try? AtomicFile.read("/proc/cpuinfo", limit: 1 << 20)).map { String(decoding: $0, as: UTF8.self) } ?? ""
        let model = info.split(separator: "\n").first { $0.hasPrefix("model name") }?.split(separator: ":").last ?? "unknown processor"
        return "\(model.drop { $0 == " " }), \(cores) cores"
    }
}
