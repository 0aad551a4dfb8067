/// A row of a page: its contents, measured from its left and its top in ems of the words.
struct Row: Hashable {
    /// Words that follow each other without a gap.
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
        /// Below 1 for a chord that is wider than a column.
        var scale = 1.0
    }

    /// Between the parts of a word that chords have drawn apart.
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
    /// The end of its words or chords, whichever is farther.
    var end = 0.0

    /// Below 1 for rows that are closer together, since their letters are smaller.
    var leading = 1.0

    /// The baselines of the chords and of the words. A row of chords alone has no words below them.
    var chordBaseline: Double { Self.rise + Self.air }
    var baseline: Double { chords.isEmpty ? Self.rise * leading : chordBaseline + Self.chordsAbove }
    var height: Double {
        if chords.isEmpty { return (Self.rise + Self.fall) * leading }
        return runs.isEmpty ? chordBaseline + Self.fall : baseline + Self.fall
    }

    /// Above a baseline, and below it.
    static let rise = 0.96
    static let fall = 0.3
    static let chordsAbove = 1.0
    /// Extra space above chords: they belong to the words below them.
    static let air = 0.1
}
