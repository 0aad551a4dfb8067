/// One measured number, with its spread.
public struct Figure: Hashable, Sendable, Codable {
    /// What was measured, under a name that stays; against a peer `<case>/<peer>`, the ratio ours / theirs.
    public let name: String
    /// The median of the runs.
    public let value: Double
    public let unit: String
    public let low: Double
    public let high: Double
    public let runs: Int

    /// Sums up the runs of one measurement.
    public init(_ name: String, unit: String, runs values: [Double]) {
        precondition(!values.isEmpty, "a figure needs a run")
        let sorted = values.sorted()
        self.name = name
        self.unit = unit
        low = sorted[0]
        high = sorted[sorted.count - 1]
        value = sorted.count % 2 == 1 ? sorted[sorted.count / 2] : (sorted[sorted.count / 2 - 1] + sorted[sorted.count / 2]) / 2
        runs = sorted.count
    }
}
