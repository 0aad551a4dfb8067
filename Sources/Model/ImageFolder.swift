/// The folder that holds the images of a chart, as its name tells it.
public struct ImageFolder: Hashable, Sendable {
    let digest: ShortDigest

    init(_ digest: ShortDigest) {
        self.digest = digest
    }

    /// The folder that the images of a chart lie in.
    public init(of chart: ChartHash) {
        digest = ShortDigest(chart.digest)
    }

    /// Reads a folder's name; `nil` for one that is none of ours.
    public init?(_ name: String) {
        guard let digest = ShortDigest(hex: name.utf8) else { return nil }
        self.digest = digest
    }
}
