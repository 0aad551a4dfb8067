import Model

/// Converts a page's points to fractions of the page.
struct XournalScale {
    /// No page reaches farther, in points.
    static let farthest = 1_000_000.0

    let page: PageGeometry

    private var width: Double { page.width }
    private var height: Double { page.height }

    func length(_ points: Double) -> Double { points / width }

    func point(_ x: Double, _ y: Double, width: Double? = nil) -> Mark.Point {
        Mark.Point(x: x / self.width, y: y / height, width: width.map(length))
    }
}
