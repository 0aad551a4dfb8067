public import Model

/// A line by which a text is known to be ChordPro, whatever its file is called.
public struct ChordProSign: Hashable, Sendable {
    public let text: String
    /// Counted from 1.
    public let line: Int

    /// Notes are in braces, too, in the service's format, and may begin with such a word: `{Capo: 2}`. So of these, two different ones must
    /// be there.
    private static let likely: Set<String> = [
        "subtitle", "artist", "composer", "lyricist", "arranger", "copyright", "album", "year", "key", "capo", "tempo", "comment",
        "comment_italic", "comment_box", "new_page", "column_break", "transpose",
    ]

    /// Fails for a text without directives that only ChordPro has.
    public init?(in text: String) {
        var first: (name: String, sign: ChordProSign)?
        for (index, line) in text.songLines().enumerated() where line.count <= 400 {
            guard let directive = ChordProDirective(line), line.trimmed().prefix(2).map(String.init) != ["{", "{"] else { continue }
            let sign = ChordProSign(text: line.trimmed().text, line: index + 1)
            let isTitle = ["title", "meta"].contains(directive.name) && !directive.value.isEmpty
            if isTitle || directive.beginning != nil || directive.ending != nil || ["define", "new_song"].contains(directive.name) {
                self = first?.sign ?? sign
                return
            }
            guard Self.likely.contains(directive.name) else { continue }
            if let first, first.name != directive.name {
                self = first.sign
                return
            }
            first = first ?? (directive.name, sign)
        }
        return nil
    }

    private init(text: String, line: Int) { (self.text, self.line) = (text, line) }
}

extension SongText {
    /// The songs in the text: always one in the service's format, at least one in ChordPro. Throws for a text of any format that is none.
    public func read(limits: SongLimits = SongLimits()) throws(Trouble) -> [SongReading] {
        let readings =
            switch dialect {
            case .service: [try SongReading(service: text, title: title, key: key, limits: limits)]
            case .chordPro: try SongReading.chordPro(text, parts: Set(parts ?? []), limits: limits)
            case .any where ChordProSign(in: text) != nil: try SongReading.chordPro(text, parts: Set(parts ?? []), limits: limits)
            case .any: [try song(limits)]
            }
        guard let key else { return readings }
        return readings.map { SongReading(song: $0.song.stating(key: key), remarks: $0.remarks, layout: $0.layout) }
    }

    /// The song in a text without directives. Its title is better than the name of its file.
    private func song(_ limits: SongLimits) throws(Trouble) -> SongReading {
        let reading = try SongReading(service: text, key: key, limits: limits)
        // A letter in brackets may be a footnote's, and a line of hyphens the head of a table.
        let strings = reading.song.lines.count { if case .verbatim = $0 { true } else { false } }
        guard reading.song.chords.count > 1 || reading.song.isInSolfege || strings > 3 else {
            throw Trouble(
                "it has no chords, so it is not taken for a song; the name of a list of songs begins with its date, as in 2026-11-29.txt, and words "
                    + "alone are drawn if their file's name ends in .cho")
        }
        return reading
    }
}

extension SongView {
    /// The notation of the chords. German names are a separate choice, so they count as letters.
    public var chords: ChordWriting {
        switch writing {
        case .letters, .german, nil: .letters
        case .numbers: .numbers(.fromMajor)
        case .minorNumbers: .numbers(.fromTonic)
        }
    }
}
