/// A song's words and chords, as its text has them: the service's, or ChordPro's.
///
/// None of the text is missing. What was not understood is kept as it stands, and is listed in the reading's remarks.
public struct Song: Hashable, Sendable {
    /// A detail about the whole song, as in ChordPro: `title`, `key`, `capo`, `artist`, `tempo`.
    public struct Detail: Hashable, Sendable {
        public let name: String
        public let value: String

        init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }
    }

    public struct Heading: Hashable, Sendable {
        /// The kind of part, under ChordPro's name for it: `verse`, `chorus`, `pre_chorus`, `tab`.
        public let kind: String
        /// The name in the text, `VERSE 2`; ChordPro may have none.
        public let name: String?
    }

    public struct Section: Hashable, Sendable {
        /// `nil` before the first heading, and between two parts.
        public let heading: Heading?
        public internal(set) var lines: [Line]
    }

    public enum Line: Hashable, Sendable {
        case words(WordLine)
        case blank
        case note(WordLine, NoteKind)
        case newColumn(chartsOnly: Bool)
        case newPage(chartsOnly: Bool)
        case change(KeyChange)
        /// The chorus again, or the one of that name.
        case chorus(String?)
        /// A detail that holds from here on.
        case detail(Detail)
        /// Tablature, bars and music as text: drawn as it stands, with a font of equal widths.
        case verbatim(ChordText)
        /// An author's remark, which is not shown.
        case hidden(String)
        /// Meant for other programs, such as ChordPro's fonts and fingerings.
        case directive(String)
    }

    public enum NoteKind: Hashable, Sendable {
        case plain, italic, boxed, highlighted
        /// Only on charts that have chords.
        case chartsOnly
    }

    /// Where the key changes within the song.
    public enum KeyChange: Hashable, Sendable {
        /// Chords from here on are to be moved by so many semitones; `nil` takes back the last such change.
        case transpose(Int?)
        /// Chords from here on are already written so many semitones away.
        case redefine(Int)
        /// Chords from here on are written in this key.
        case key(String)
    }

    public let naming: Naming
    public internal(set) var details: [Detail]
    public internal(set) var sections: [Section]

    public func detail(_ name: String) -> String? { details.first { $0.name == name }?.value }

    public var title: String? { detail("title") }
    /// The key of its chords at the beginning, if the text names one that can be read.
    public var key: Key? { detail("key").flatMap { Key($0, naming: naming) } }
    /// The fret that the chords are written for.
    public var capo: Int { detail("capo").flatMap { Int($0) }.map { $0.modulo(12) } ?? 0 }

    /// The lines of all parts.
    var lines: some Sequence<Line> { sections.lazy.flatMap(\.lines) }

    /// All chords, in their order.
    public var chords: [Chord] { lines.flatMap { $0.chordTexts.flatMap(\.chords) } }

    /// Whether the song uses ♯ and ♭ rather than # and b: whatever most chords have, so that a single odd one does not change all.
    var hasSigns: Bool {
        let written = chords.map { $0.written.unicodeScalars.dropFirst() }
        func count(_ signs: Set<Unicode.Scalar>) -> Int { written.count { $0.contains(where: signs.contains) } }
        return count(["♯", "♭"]) > count(["#", "b"])
    }
}

extension Song.Line {
    /// The texts in places for chords, in order: as many in every key.
    public var chordTexts: [ChordText] {
        switch self {
        case .words(let line), .note(let line, _): line.chords.map(\.chord)
        case .verbatim(let text): [text]
        default: []
        }
    }

    /// The line with other texts in the places for chords, as many as there are.
    func replacingChords(_ change: (ChordText) -> ChordText) -> Song.Line {
        switch self {
        case .words(let line): .words(line.replacingChords(change))
        case .note(let line, let kind): .note(line.replacingChords(change), kind)
        case .verbatim(let text): .verbatim(change(text))
        default: self
        }
    }
}

extension WordLine {
    fileprivate func replacingChords(_ change: (ChordText) -> ChordText) -> WordLine {
        var line = self
        for index in line.chords.indices { line.chords[index].chord = change(line.chords[index].chord) }
        return line
    }
}
