import CQREncode

/// A text as the square of dots that a tablet's camera reads.
public struct QRCode: Hashable, Sendable {
    /// Dots on each side, with the empty ones around the code by which cameras find it.
    public let side: Int
    /// Dots on each side of the code alone.
    private let size: Int
    /// Row by row from the top, without those around it.
    private let dots: [Bool]

    /// Empty dots on each side of the code, as its standard says.
    private static let rim = 4

    /// `nil` if the text is too long for a code, which takes almost three thousand bytes.
    public init?(_ text: String) {
        let bytes = Array(text.utf8)
        // A screen has no stains, so the least correction will do: the fewer dots there are, the larger each of them is.
        guard let code = QRcode_encodeData(Int32(bytes.count), bytes, 0, QR_ECLEVEL_L) else { return nil }
        defer { QRcode_free(code) }
        size = Int(code.pointee.width)
        side = size + 2 * Self.rim
        dots = UnsafeBufferPointer(start: code.pointee.data, count: size * size).map { $0 & 1 == 1 }
    }

    /// Whether a dot is dark, counted from the top left with those around the code; none outside is.
    private func isDark(_ x: Int, _ y: Int) -> Bool {
        let (x, y) = (x - Self.rim, y - Self.rim)
        return (0..<size).contains(x) && (0..<size).contains(y) && dots[y * size + x]
    }

    /// The dark dots as the path of an SVG that is `side` wide and high: a rectangle for those beside each other.
    public var path: String {
        var path = ""
        for y in 0..<side {
            var x = 0
            while x < side {
                var end = x
                while isDark(end, y) { end += 1 }
                if end > x { path += "M\(x) \(y)h\(end - x)v1h-\(end - x)z" }
                x = end + 1
            }
        }
        return path
    }

    /// Lines for a terminal that is at least `side` columns wide: each character is two dots, one above the other.
    ///
    /// Both colours are set, since a code on a dark terminal would otherwise be light on dark, which not every camera reads; and they are the
    /// two of the 256 that no theme changes.
    public var terminalLines: [String] {
        stride(from: 0, to: side, by: 2).map { y in
            let blocks = (0..<side).map { x in
                switch (isDark(x, y), isDark(x, y + 1)) {
                case (true, true): "█"
                case (true, false): "▀"
                case (false, true): "▄"
                case (false, false): " "
                }
            }
            return "\u{1B}[38;5;16;48;5;231m" + blocks.joined() + "\u{1B}[0m"
        }
    }
}
