/// The look of letters. Sizes are relative to the size of a song's words, so that a line is measured once for all sizes.
struct Face: Hashable, Sendable {
    var isBold = false
    var isItalic = false
    /// Every letter as wide as the others.
    var isMono = false
    var size = 1.0
    /// Between letters, in ems of the words.
    var tracking = 0.0

    static let words = Face()
    static let chord = Face(isBold: true, size: 0.96)
    /// Text among chords that is not a chord: bars, `x2`, `N.C.`
    static let filler = Face(size: 0.9)
    static let heading = Face(isBold: true, size: 0.8, tracking: 0.05)
    static let note = Face(isItalic: true, size: 0.92)
    static let verbatim = Face(isMono: true, size: 0.84)
}

/// Measures the width of text, in ems of the words. Layout needs nothing else of fonts.
protocol TextMeasure {
    func width(of text: String, in face: Face) -> Double
}
