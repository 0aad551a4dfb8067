import Model
import Songs

/// The diagrams of a song's chords, in rows at the foot of its last page. Lengths are in points.
struct DiagramRows {
    let diagrams: [SongDiagrams.Diagram]
    /// The height of all rows, with the gap above them. It is the same in every key.
    let height: Double

    /// The octaves of each keyboard, from a C. They are the same in every key.
    let octaves: Int

    /// The width of a white key.
    static let whiteKey = 5.0

    private let cell: (width: Double, height: Double)
    private let perRow: Int

    private static let gap = 8.0
    /// More diagrams are no help beside the words.
    private static let most = 60

    /// Fails for a song without diagrams, in whatever key.
    init?(_ song: SongDiagrams, of instrument: SongText.Diagrams, width: Double) {
        guard song.most > 0 else { return nil }
        diagrams = song.diagrams
        octaves = song.octaves
        cell = instrument == .piano ? (Double(song.octaves) * 7 * Self.whiteKey + 10, 46.0) : (52.0, 64.0)
        perRow = max(1, Int(width / cell.width))
        height = Double((min(song.most, Self.most) + perRow - 1) / perRow) * cell.height + Self.gap
        guard song.most <= Self.most else { return nil }
    }

    /// The most room for a chord's name.
    var nameRoom: Double { cell.width - 4 }

    /// The top left corner of a diagram, if the columns end at `bottom`.
    func corner(of index: Int, above bottom: Double) -> (x: Double, y: Double) {
        let (row, column) = index.quotientAndRemainder(dividingBy: perRow)
        return (PageFrame.side + Double(column) * cell.width, bottom - height + Self.gap + Double(row) * cell.height)
    }

    /// Whether the last page has room for the diagrams below its words.
    func fit(below fit: PageFit, on frame: PageFrame) -> Bool {
        let page = fit.pages - 1
        let lowest = fit.places.reduce(0.0) { $1.page == page ? max($0, ($1.y + $1.row.height) * fit.size) : $0 }
        let (top, bottom) = page == 0 ? (frame.firstTop, frame.firstBottom) : (frame.top, frame.bottom)
        return top + lowest + height <= bottom + 1e-6
    }
}
