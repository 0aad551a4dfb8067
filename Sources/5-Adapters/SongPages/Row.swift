/// A row of a page. Its contents are measured from its left and top, in ems of the words.
struct Row: Hashable {
    /// Words without a gap between them.
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
        /// Below 1 for a chord that would be wider than a column.
        var scale = 1.0
    }

    /// A gap between the parts of a word, where chords need more room than the letters.
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
    /// The right end of the words or chords, whichever is farther.
    var end = 0.0

    /// Below 1 for smaller letters, whose rows are closer together.
    var leading = 1.0

    /// The baselines of the chords and of the words. A row that has only chords needs no room for words.
    var chordBaseline: Double { Self.rise + Self.air }
    var baseline: Double { chords.isEmpty ? Self.rise * leading : chordBaseline + Self.chordsAbove }
    var height: Double {
        if chords.isEmpty { return (Self.rise + Self.fall) * leading }
        return runs.isEmpty ? chordBaseline + Self.fall : baseline + Self.fall
    }

    /// The space above a baseline, and below it.
    static let rise = 0.96
    static let fall = 0.3
    static let chordsAbove = 1.0
    /// Extra space above chords, which separates them from the words above: they belong to the words below.
    static let air = 0.1
}
