import FoundationEssentials
import Glibc
import Platform

/// What a benchmark measured, as a table for people and as JSON with names that do not change.
struct BenchmarkReport: Codable {
    var bench: String
    /// The commit of the folder that it was run in, if there is one.
    var commit: String
    var machine: String
    /// Peers that were not installed, so nothing could be compared with them.
    var missing: [String]
    var figures: [Figure]
    /// How it was measured, and what was left out, a sentence each.
    var notes: [String]
    var details: [DetailTable]

    init(
        _ bench: String, missing: [String] = [], figures: [Figure], notes: [String] = [], details: [DetailTable] = []
    ) {
        self.bench = bench
        self.missing = missing
        self.figures = figures
        self.notes = notes
        self.details = details
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
            [["figure", "median", "low", "high", "p95", "unit", "runs"]]
            + figures.map { figure in
                [figure.name] + [figure.value, figure.low, figure.high].map { DetailTable.text($0) }
                    + [figure.p95.map { DetailTable.text($0) } ?? "", figure.unit, "\(figure.runs)"]
            }
        let absent = missing.isEmpty ? [] : ["not installed, so not measured against: " + missing.joined(separator: ", ")]
        return (details.map { $0.text + "\n" } + ["\(bench) on \(machine)"] + DetailTable.aligned(rows) + absent + notes)
            .joined(separator: "\n")
    }

    /// Read from the folder itself, so that git need not be installed.
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
