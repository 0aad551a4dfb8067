/// A row of a page. Its contents are measured from its left and top, in ems of the words.
struct Row: Hashable {
    /// Words in one face, painted as one text.
    struct Run: Hashable {
        var x: Double
        var text: String
        var width: Double
        var face: Face
        var isUnderlined = false
        /// Whether it is read from the left, with others beside it, in a row that is read from the right.
        var isFromLeft = false
    }

    struct Chord: Hashable {
        var x: Double
        let slot: Int
        /// The factor by which the chord is scaled: 1, or less for a chord that would be wider than a row.
        var scale = 1.0
        /// Whether it stands over words that are read from the left, in a row that is read from the right.
        var isFromLeft = false
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

    /// The row as it is read from the right: everything is as far from the right edge as it was from the left one. `fromLeft` are the
    /// stretches of words that are read from the left; in each, everything keeps its order.
    func mirrored(in width: Double, _ slots: [Slot], fromLeft: [ClosedRange<Double>]) -> Row {
        func place(_ x: Double, _ length: Double, _ isFromLeft: Bool) -> Double {
            guard isFromLeft, let stretch = fromLeft.last(where: { $0.lowerBound <= x + 1e-9 }) else { return width - x - length }
            return width - stretch.upperBound + x - stretch.lowerBound
        }
        var row = self
        row.rightEdge = width
        for (index, run) in runs.enumerated() {
            row.runs[index].x = place(run.x, run.width, run.isFromLeft)
            // Alone, it is painted as a part of its row, so that a comma after it is on the side where the row goes on.
            let isAlone = fromLeft.allSatisfy { stretch in
                !stretch.contains(run.x) || runs.count { $0.isFromLeft && stretch.contains($0.x) } == 1
            }
            if isAlone { row.runs[index].isFromLeft = false }
        }
        for (index, chord) in chords.enumerated() {
            row.chords[index].x = place(chord.x, slots[chord.slot].room * chord.scale, chord.isFromLeft)
        }
        row.gaps = gaps.map { gap in
            Gap(x: place(gap.x, gap.width, fromLeft.contains { $0.contains(gap.x) && $0.contains(gap.x + gap.width) }), width: gap.width)
        }
        return row
    }

    /// Whether the row has a single word, perhaps in several parts.
    var isOneWord: Bool { runs.count < 2 && !(runs.first?.text.contains(" ") ?? false) }

    /// The space above and below a baseline.
    static let rise = 0.96
    static let fall = 0.3
    static let chordsAbove = 1.0
    /// Extra space above chords. It separates them from the words above, so that they clearly belong to the words below.
    static let air = 0.1
}
