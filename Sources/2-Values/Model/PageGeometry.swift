/// The size of a page as it is displayed, in points.
public struct PageGeometry: Hashable, Sendable, Codable {
    public var width: Double
    public var height: Double

    /// Makes a geometry in points.
    public init(width: Double, height: Double) {
        self.width = width
        self.height = height
    }

    /// The size in pixels of an image whose long side has `size` of them; neither side is less than one pixel.
    public func pixels(longSide size: Int) -> (width: Int, height: Int) {
        let long = max(width, height)
        func scaled(_ side: Double) -> Int { side == long ? size : max(1, Int((side * Double(size) / long).rounded())) }
        return (scaled(width), scaled(height))
    }
}
