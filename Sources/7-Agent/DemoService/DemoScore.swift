import DemoScores

/// The embedded scores: charts as PDF, layers of marks as JSON.
enum DemoScore {
    /// The bytes of a chart, by its file name without the extension.
    static func chart(_ name: String) -> [UInt8]? { bytes(name, kind: "chart") }

    /// The names of all charts.
    static var chartNames: [String] { names(kind: "chart") }

    /// The names of all layers of marks.
    static var marksNames: [String] { names(kind: "marks") }

    /// The JSON of a layer of marks.
    static func marks(_ name: String) -> [UInt8]? { bytes(name, kind: "marks") }

    private static func names(kind: String) -> [String] {
        table { entries in entries.filter { String(cString: $0.kind) == kind }.map { String(cString: $0.name) } }
    }

    private static func bytes(_ name: String, kind: String) -> [UInt8]? {
        table { entries in
            entries.first { String(cString: $0.kind) == kind && String(cString: $0.name) == name }
                .map { Array(UnsafeBufferPointer(start: $0.bytes, count: $0.length)) }
        }
    }

    private static func table<Result>(_ read: (UnsafeBufferPointer<demo_score>) -> Result) -> Result {
        read(UnsafeBufferPointer(start: woodshed_demo_scores(), count: demo_scores_count))
    }
}
