/// The style of letters. Sizes are relative to the size of the song's words, so a line is measured only once for all sizes.
struct Face: Hashable, Sendable {
    var isBold = false
    var isItalic = false
    /// True if all letters have the same width.
    var isMono = false
    var size = 1.0
    /// The extra space between letters, in ems of the words.
    var tracking = 0.0

    static let words = Face()
    static let chord = Face(isBold: true, size: 0.96)
    /// For text in place of a chord: bars, `x2`, `N.C.`
    static let filler = Face(size: 0.9)
    static let heading = Face(isBold: true, size: 0.8, tracking: 0.05)
    static let note = Face(isItalic: true, size: 0.92)
    static let verbatim = Face(isMono: true, size: 0.84)
}

/// Measures the width of text, in ems of the words. The layout needs to know nothing else about fonts.
protocol TextMeasure {
    func width(of text: String, in face: Face) -> Double
}
