/// Words, and the chords over them.
///
/// Places count Unicode's scalars. Characters, as people see them, are cut in other ways by every version of Unicode, so that a place would
/// mean something else after an update; and bytes would allow places inside of a letter.
public struct WordLine: Hashable, Sendable {
    public struct PlacedChord: Hashable, Sendable {
        public internal(set) var chord: ChordText
        /// Before which scalar of the text it stands; at most as many as there are.
        public let place: Int

        init(_ chord: ChordText, at place: Int) { (self.chord, self.place) = (chord, place) }
    }

    /// How words look; the service has one more, `<t>`, of which nobody says what it does.
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

    /// The words, byte for byte, without the marks of chords and styles.
    public let text: String
    /// In the order of their places; of several at one place, as they follow each other.
    public internal(set) var chords: [PlacedChord]
    /// In order, no two of one style that touch.
    public let styles: [StyledRange]
    /// Whether the chords were written on a line above the words: then each is only near its syllable.
    public internal(set) var hasChordsAbove = false

    init(text: String, chords: [PlacedChord] = [], styles: [StyledRange] = []) {
        (self.text, self.chords, self.styles) = (text, chords, styles)
    }

    /// Equal lines have the same words and chords at the same places, however exactly these were meant.
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
