/// The folder that holds the images of a chart, as its name identifies it.
public struct ImageFolder: Hashable, Sendable {
    let digest: ShortDigest

    init(_ digest: ShortDigest) {
        self.digest = digest
    }

    /// The folder for the images of a chart.
    public init(of chart: ChartHash) {
        digest = ShortDigest(chart.digest)
    }

    /// Reads a folder's name; `nil` if it is not one of ours.
    public init?(_ name: String) {
        guard let digest = ShortDigest(hex: name.utf8) else { return nil }
        self.digest = digest
    }
}
