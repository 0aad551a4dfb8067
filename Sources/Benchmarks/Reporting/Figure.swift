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
