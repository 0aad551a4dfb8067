/// A row of a page. Its contents are measured from its left and top, in ems of the words.
struct Row: Hashable {
    /// Words in one face, painted as one text.
    struct Run: Hashable {
        var x: Double
        var text: String
        var width: Double
        var face: Face
        var isUnderlined = false
    }

    struct Chord: Hashable {
        var x: Double
        let slot: Int
        /// The factor by which the chord is scaled: 1, or less for a chord that would be wider than a row.
        var scale = 1.0
    }

    /// A gap between the parts of a word, where the chords need more room than the letters below them.
    struct Gap: Hashable {
        let x: Double
        let width: Double
    }

    enum Dress: Hashable {
        case none, box, shade
    }

    var runs: [Run] = []
    var chords: [Chord] = []
    var gaps: [Gap] = []
    var dress = Dress.none
    /// The right end of the words or of the chords, whichever is farther right. In a row that is read from the right, its length.
    var end = 0.0
    /// The column's width, if the row is read from the right: it then begins at the column's right edge.
    private(set) var rightEdge: Double?

    /// The factor for the row's height: 1, or less for rows of smaller letters, which are closer together. Rows with chords ignore
    /// it.
    var leading = 1.0

    /// The baselines of the chords and of the words. A row that has only chords needs no room for words.
    var chordBaseline: Double { Self.rise + Self.air }
    var baseline: Double { chords.isEmpty ? Self.rise * leading : chordBaseline + Self.chordsAbove }
    var height: Double {
        if chords.isEmpty { return (Self.rise + Self.fall) * leading }
        return runs.isEmpty ? chordBaseline + Self.fall : baseline + Self.fall
    }

    /// The row as it is read from the right: everything is as far from the right edge as it was from the left one.
    func mirrored(in width: Double, _ slots: [Slot]) -> Row {
        var row = self
        row.rightEdge = width
        for index in runs.indices { row.runs[index].x = width - runs[index].x - runs[index].width }
        for index in chords.indices {
            row.chords[index].x = width - chords[index].x - slots[chords[index].slot].room * chords[index].scale
        }
        row.gaps = gaps.map { Gap(x: width - $0.x - $0.width, width: $0.width) }
        return row
    }

    /// Whether the row has a single word, perhaps in several parts.
    var isOneWord: Bool { runs.count < 2 && !(runs.first?.text.contains(" ") ?? false) }

    /// The space above a baseline and, below, the space under a baseline.
    static let rise = 0.96
    static let fall = 0.3
    static let chordsAbove = 1.0
    /// Extra space above chords. It separates them from the words above, so that they clearly belong to the words below.
    static let air = 0.1
}
