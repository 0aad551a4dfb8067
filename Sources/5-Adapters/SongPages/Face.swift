/// How letters look. Sizes are parts of the size that a song's words have, so that a line is measured once for all sizes.
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
    /// What stands among chords and is none: bars, `x2`, `N.C.`
    static let filler = Face(size: 0.9)
    static let heading = Face(isBold: true, size: 0.8, tracking: 0.05)
    static let note = Face(isItalic: true, size: 0.92)
    static let verbatim = Face(isMono: true, size: 0.84)
}

/// Says how wide text is, in ems of the words. Layout asks nothing else of fonts.
protocol TextMeasure {
    func width(of text: String, in face: Face) -> Double
}
