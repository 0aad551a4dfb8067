import Songs

/// A chord, or other text in place of a chord, with the room that its widest form needs in any key.
struct Slot: Hashable {
    /// A piece of the text; raised pieces are drawn smaller.
    struct Part: Hashable {
        let text: String
        var isRaised = false
    }

    let parts: [Part]
    let face: Face
    let room: Double

    var text: String { parts.map(\.text).joined() }

    /// `own` is the text in the key that the song was written in. `room` is the width of the widest form.
    init(_ shown: ChordText, own: ChordText, face: Face, room: Double) {
        (self.face, self.room) = (face, room)
        var parts: [Part] = []
        for (piece, own) in zip(shown.pieces, own.pieces) {
            switch (piece, own) {
            case (.text(let number), .chord) where face != .verbatim: parts += Self.number(number)
            case (.text(let text), _): parts.append(Part(text: Self.withoutStar(text, face)))
            case (.chord(let chord), _): parts.append(Part(text: chord.written))
            }
        }
        let length = parts.reduce(0) { $0 + $1.text.utf8.count }
        self.parts =
            length > Self.longest(face)
            ? [Part(text: Self.shortened(shown.written, face))] : parts.map { Part(text: $0.text.plainLine, isRaised: $0.isRaised) }
    }

    /// A verbatim text that has the same width in every key.
    init(verbatim text: String, room: Double) { (parts, face, self.room) = ([Part(text: text)], .verbatim, room) }

    /// The most bytes of a text. Real chords are shorter, and measuring a text without a limit could take any time.
    private static func longest(_ face: Face) -> Int { face == .verbatim ? 1500 : 300 }

    /// The text as it is shown and measured, without unusual characters. If it is too long, it is cut off to a quarter of the
    /// limit, with "…".
    static func shortened(_ text: String, _ face: Face) -> String {
        let text = withoutStar(text, face)
        return text.utf8.count > longest(face) ? text.plainLine.prefix(longest(face) / 4) + "…" : text.plainLine
    }

    /// A star before a text marks an annotation in ChordPro, and is not shown.
    private static func withoutStar(_ text: String, _ face: Face) -> String {
        face == .filler && text.first == "*" && text.dropFirst().first.map { $0.isLetter || $0.isNumber || $0 == "(" } == true
            ? String(text.dropFirst()) : text
    }

    /// Splits a chord in number notation. The part between the number and the bass is raised, so that a 4 with a 2 does not look like 42.
    private static func number(_ text: String) -> [Part] {
        var rest = text[...]
        var parts: [Part] = []
        func advance(_ count: Int, isRaised: Bool = false) {
            if count > 0 { parts.append(Part(text: String(rest.prefix(count)), isRaised: isRaised)) }
            rest = rest.dropFirst(count)
        }
        let signs = rest.prefix { "#b♯♭".contains($0) }.count
        advance(signs + (rest.dropFirst(signs).first?.isNumber == true ? 1 : 0) + (rest.dropFirst(signs + 1).first == "-" ? 1 : 0))
        // The last slash counts as the beginning of the bass, even the slash in 6/9.
        let bass = rest.lastIndex(of: "/").map { rest.distance(from: rest.startIndex, to: $0) }
        advance(bass ?? rest.count, isRaised: true)
        advance(rest.count)
        return parts
    }
}
