import CQREncode

/// A text as a QR code: a square of dots that a tablet's camera can read.
public struct QRCode: Hashable, Sendable {
    /// The number of dots on each side, including the empty rim that helps cameras find the code.
    public let side: Int
    /// The number of dots on each side, without the rim.
    private let size: Int
    /// The dots row by row from the top, without the rim.
    private let dots: [Bool]

    /// The width of the rim; the standard requires four dots.
    private static let rim = 4

    /// Fails if the text is empty or too long for a code, which can hold almost three thousand bytes.
    public init?(_ text: String) {
        let bytes = Array(text.utf8)
        // A screen has no stains, so the lowest error correction is enough. It needs fewer dots, so each dot is larger.
        guard let code = QRcode_encodeData(Int32(bytes.count), bytes, 0, QR_ECLEVEL_L) else { return nil }
        defer { QRcode_free(code) }
        size = Int(code.pointee.width)
        side = size + 2 * Self.rim
        dots = UnsafeBufferPointer(start: code.pointee.data, count: size * size).map { $0 & 1 == 1 }
    }

    /// Whether a dot is dark; `false` in the rim and outside the code. The position is counted from the top left of the rim.
    private func isDark(_ x: Int, _ y: Int) -> Bool {
        let (x, y) = (x - Self.rim, y - Self.rim)
        return (0..<size).contains(x) && (0..<size).contains(y) && dots[y * size + x]
    }

    /// The dark dots as the path of an SVG that is `side` wide and high. Neighbouring dots in a row become one rectangle.
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

    /// Lines for a terminal that is at least `side` columns wide. Each character shows two dots, one above the other.
    ///
    /// Both colours are set, because in the colours of a dark terminal the code would be light on dark, which some cameras cannot
    /// read. Themes do not change these two of the 256 colours.
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
