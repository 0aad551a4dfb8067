public import Model

/// What is known of a chart once it was opened.
public struct ChartDescription: Hashable, Sendable, Codable {
    /// What each page measures as it is displayed; at least one.
    public var pages: [PageGeometry]
    /// What the renderer complained about, a line each.
    public var warnings: [String]

    /// Makes a description.
    public init(pages: [PageGeometry], warnings: [String] = []) {
        self.pages = pages
        self.warnings = warnings
    }

    /// A chart of more pages is refused: nobody plays from it, and it may be made to keep us busy.
    public static let mostPages = 10_000
}
