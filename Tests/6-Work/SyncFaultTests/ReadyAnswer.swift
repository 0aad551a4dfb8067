import FoundationEssentials
import Platform
import TestSupport
import Testing

/// The output of `woodshed ready --plan all --json` for a home.
struct ReadyAnswer: Decodable {
    struct Plan: Decodable {
        struct Chart: Decodable {
            struct Lack: Decodable {
                let reason: String, message: String
            }
            let id: String, ready: Bool, lacks: [Lack]
        }
        let id: String, ready: Bool, charts: [Chart]
    }
    let schema: Int, ready: Bool, young: Bool, last_poll: String?, plans: [Plan]

    var charts: [Plan.Chart] { plans.flatMap(\.charts) }

    /// The charts with a file or an image that is reported as missing or broken.
    var incomplete: Set<String> {
        let told: Set = [
            "not-downloaded", "file-gone", "file-changed", "file-unreadable", "not-counted", "not-rendered", "image-damaged",
            "image-unreadable",
        ]
        return Set(charts.filter { $0.lacks.contains { told.contains($0.reason) } }.map(\.id))
    }

    var lacks: [String] { charts.flatMap { chart in chart.lacks.map { "\(chart.id): \($0.message)" } } }

    /// Reads the output of a run; the exit code must agree with the text.
    init(_ result: Program.Result) throws {
        self = try JSONDecoder().decode(ReadyAnswer.self, from: Data(result.output.utf8))
        #expect(result.exit == .code(ready ? 0 : 3), "\(result.messages)")
        #expect(schema == 1)
    }
}
