/// The hash of a chart's bytes, by which a chart is known.
public struct ChartHash: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The SHA-256 of the PDF.
    public let digest: Digest

    /// Wraps a digest of a PDF's bytes.
    public init(_ digest: Digest) {
        self.digest = digest
    }

    public var description: String { digest.hex }
    public static func < (left: ChartHash, right: ChartHash) -> Bool { left.digest < right.digest }
}
