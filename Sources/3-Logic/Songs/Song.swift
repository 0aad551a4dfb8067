/// A song's words and chords, read from the service's format or from ChordPro.
///
/// No text is lost. Text that was not understood is kept as written, and the reading's remarks list it.
public struct Song: Hashable, Sendable {
    /// A detail about the whole song, as in ChordPro: `title`, `key`, `capo`, `artist`, `tempo`.
    public struct Detail: Hashable, Sendable {
        public let name: String
        public let value: String

        init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }
    }

    public struct Heading: Hashable, Sendable {
        /// The kind of part, by its name in ChordPro: `verse`, `chorus`, `pre_chorus`, `tab`.
        public let kind: String
        /// The name in the text, such as `VERSE 2`; `nil` if a ChordPro text gives no name.
        public let name: String?
        /// The value of the directive in the text, if it is more than the name, such as attributes for other programs.
        var written: String?
        /// The players that the part is meant for, such as `alto` or `alto!`, if the musician is not one of them. The part is then left
        /// out.
        var selector: String?

        /// Whether the part is not drawn: it is for other players, or music in a form that only another program draws.
        public var isLeftOut: Bool { selector != nil || ["abc", "ly", "svg", "musicxml"].contains(kind) }
    }

    public struct Section: Hashable, Sendable {
        /// The heading of the part; `nil` for lines before the first heading, and between two parts.
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
        /// A repetition of the chorus, or of the chorus with this name.
        case chorus(String?)
        /// A detail that concerns the rest of the song.
        case detail(Detail)
        /// Tablature, bars or music as text. It is drawn as written, in a font whose letters have equal widths.
        case verbatim(ChordText)
        /// A remark of the author that is not shown.
        case hidden(String)
        /// A directive for other programs, such as ChordPro's fonts and fingerings.
        case directive(String)
    }

    public enum NoteKind: Hashable, Sendable {
        case plain, italic, boxed, highlighted
        /// Shown only on charts that have chords.
        case chartsOnly
    }

    /// A change of key within the song.
    public enum KeyChange: Hashable, Sendable {
        /// The chords from here on are moved by this many semitones; `nil` reverts the last such change that is still in effect.
        case transpose(Int?)
        /// The chords from here on are already written this many semitones away from the key before.
        case redefine(Int)
        /// The chords from here on are written in this key.
        case key(String)
    }

    public internal(set) var naming: Naming
    public internal(set) var details: [Detail]
    public internal(set) var sections: [Section]
    /// Whether the chords are written as Do, Re, Mi. All of them are then plain text, which cannot be moved.
    private(set) var isInSolfege = false

    init(naming: Naming, details: [Detail], sections: [Section]) {
        (self.naming, self.details, self.sections) = (naming, details, sections)
    }

    mutating func leaveChords() {
        isInSolfege = true
        details = details.map { detail in
            guard detail.name == "key", let key = Solfege.key(detail.value) else { return detail }
            return Detail("key", key.name(in: naming))
        }
        for part in sections.indices {
            sections[part].lines = sections[part].lines.map { $0.replacingChords { ChordText(plain: $0.written) } }
        }
    }

    public func detail(_ name: String) -> String? { details.first { $0.name == name }?.value }

    public var title: String? { detail("title") }
    /// The key of the chords at the beginning; `nil` if the text does not name a key that can be read.
    public var key: Key? { detail("key").flatMap { Key($0, naming: naming) } }
    /// Titles, people and years may be given several times.
    public func details(_ name: String) -> [String] { details.filter { $0.name == name && !$0.value.isEmpty }.map(\.value) }

    /// The fret of the capo that the chords are written for, from 0 to 11; 0 if the text names none.
    public var capo: Int { detail("capo").flatMap { Int($0) }.map { $0.modulo(12) } ?? 0 }

    /// The lines of all parts.
    var lines: some Sequence<Line> { sections.lazy.flatMap(\.lines) }

    /// All chords in the song's order.
    public var chords: [Chord] { lines.flatMap { $0.chordTexts.flatMap(\.chords) } }

    /// Whether the song uses ♯ and ♭ more often than # and b. The majority decides, so that a single exception does not change all chords.
    var hasSigns: Bool {
        var balance = 0
        for chord in chords {
            let written = chord.written.unicodeScalars.dropFirst()
            if written.contains(where: { $0 == "♯" || $0 == "♭" }) { balance += 1 }
            if written.contains(where: { $0 == "#" || $0 == "b" }) { balance -= 1 }
        }
        return balance > 0
    }
}

extension Song.Line {
    /// The texts that stand where chords do, in order. Their number is the same in every key.
    public var chordTexts: [ChordText] {
        switch self {
        case .words(let line), .note(let line, _): line.chords.map(\.chord)
        case .verbatim(let text): [text]
        default: []
        }
    }

    /// The line with each of its `chordTexts` replaced by the result of `change`.
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
