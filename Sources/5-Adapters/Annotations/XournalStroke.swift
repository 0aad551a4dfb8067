import Model

/// A stroke as its attributes describe it, before its points are read.
struct XournalStroke {
    var kind: Mark.Kind
    var color: Color
    /// In points, like everything here.
    var width: Double
    /// A width for each segment; `nil` if the whole stroke has one.
    var widths: [Double]?
    var cap: Mark.Cap
    var dash: [Double]
    var fill: Double?

    /// Places, each with the width of the segment that begins there.
    typealias Path = [(x: Double, y: Double, width: Double?)]

    /// The stroke's pieces, in points: a segment without a width divides it, and it ends with its last width.
    func pieces(_ places: [(x: Double, y: Double)]) -> [Path] {
        guard let widths, places.count > 1 else { return places.isEmpty ? [] : [places.map { ($0.x, $0.y, nil) }] }
        var pieces: [Path] = []
        var piece: Path = []
        for (index, place) in places.prefix(widths.count + 1).enumerated() {
            // The last point has no segment of its own.
            let width = index < min(widths.count, places.count - 1) ? widths[index] : .nan
            if width > 0, width <= XournalScale.farthest {
                piece.append((place.x, place.y, width))
            } else if let last = piece.last {
                // This point ends the segment before it.
                pieces.append(piece + [(place.x, place.y, last.width)])
                piece = []
            }
        }
        return pieces
    }

    /// The dashes that a style's name or its `cust:` list stands for; `nil` for an unknown name.
    static func dash(_ style: String) -> [Double]? {
        switch style {
        case "", "plain": return []
        case "dash": return [6, 3]
        case "dashdot": return [6, 3, 0.5, 3]
        case "dot": return [0.5, 3]
        default:
            guard style.hasPrefix("cust:") else { return nil }
            // More than the worker draws.
            let lengths = NumberScanner.all(in: String(style.dropFirst(5)), most: 16)
            return lengths.allSatisfy { (0...XournalScale.farthest).contains($0) } ? lengths : nil
        }
    }
}
