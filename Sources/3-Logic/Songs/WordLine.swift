/// Words, and the chords over them.
///
/// Places count Unicode scalars. Characters, as people see them, are divided differently in each version of Unicode, so a place
/// could change its meaning after an update. Bytes would allow places inside a letter.
public struct WordLine: Hashable, Sendable {
    public struct PlacedChord: Hashable, Sendable {
        public internal(set) var chord: ChordText
        /// The index of the scalar that the chord stands before, or the end of the text.
        public let place: Int

        init(_ chord: ChordText, at place: Int) { (self.chord, self.place) = (chord, place) }
    }

    /// The style of words. The service has another tag, `<t>`, which is not documented.
    public enum Style: String, CaseIterable, Comparable, Sendable {
        case bold = "b"
        case italic = "i"
        case underlined = "u"
        case t

        public static func < (style: Style, other: Style) -> Bool { style.rawValue < other.rawValue }
    }

    public struct StyledRange: Hashable, Sendable {
        public let style: Style
        public let range: Range<Int>
    }

    /// The words, byte for byte, without the chords and tags.
    public let text: String
    /// The chords, sorted by place. Chords at one place stay in the order in which they were read.
    public internal(set) var chords: [PlacedChord]
    /// The ranges with a style, sorted by place. Two ranges of one style never touch.
    public let styles: [StyledRange]
    /// Whether the chords were on a line above the words. If so, each chord is only near its syllable.
    public internal(set) var hasChordsAbove = false

    init(text: String, chords: [PlacedChord] = [], styles: [StyledRange] = []) {
        (self.text, self.chords, self.styles) = (text, chords, styles)
    }

    /// Lines are equal if they have the same words, chords and styles in the same places. `hasChordsAbove` does not count.
    public static func == (line: WordLine, other: WordLine) -> Bool {
        (line.text, line.chords, line.styles) == (other.text, other.chords, other.styles)
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(text)
        hasher.combine(chords)
    }

    /// Whether nothing of the line is visible.
    public var isBlank: Bool { chords.isEmpty && text.unicodeScalars.allSatisfy(\.isBlank) }
}
