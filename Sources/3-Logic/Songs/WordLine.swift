/// Words, and the chords over them.
///
/// Places count Unicode scalars. Every version of Unicode cuts characters, as people see them, differently, so a place would mean something
/// else after an update; and bytes would allow places inside a letter.
public struct WordLine: Hashable, Sendable {
    public struct PlacedChord: Hashable, Sendable {
        public internal(set) var chord: ChordText
        /// The scalar of the text that it stands before, or the end.
        public let place: Int

        init(_ chord: ChordText, at place: Int) { (self.chord, self.place) = (chord, place) }
    }

    /// How words look; the service has one more, `<t>`, which is not documented.
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

    /// The words, byte for byte, without marks for chords and styles.
    public let text: String
    /// In the order of their places; at one place, in the order of reading.
    public internal(set) var chords: [PlacedChord]
    /// In order; no two of one style touch.
    public let styles: [StyledRange]
    /// Whether the chords were written on a line above the words: then each is only near its syllable.
    public internal(set) var hasChordsAbove = false

    init(text: String, chords: [PlacedChord] = [], styles: [StyledRange] = []) {
        (self.text, self.chords, self.styles) = (text, chords, styles)
    }

    /// Equal lines have the same words and chords in the same places, however exactly those were meant.
    public static func == (line: WordLine, other: WordLine) -> Bool {
        (line.text, line.chords, line.styles) == (other.text, other.chords, other.styles)
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(text)
        hasher.combine(chords)
    }

    /// Whether there is nothing to see.
    public var isBlank: Bool { chords.isEmpty && text.unicodeScalars.allSatisfy(\.isBlank) }
}
