/// A chart whose bytes are here and whose pages were counted, with what decides which images it has.
public struct CountedChart: Hashable, Sendable {
    public let hash: ChartHash
    public let pages: Int
    /// Whether the look of its pages depends on the machine's fonts.
    public let needsFonts: Bool

    /// Makes it from what is known.
    public init(hash: ChartHash, pages: Int, needsFonts: Bool) {
        self.hash = hash
        self.pages = pages
        self.needsFonts = needsFonts
    }
}
