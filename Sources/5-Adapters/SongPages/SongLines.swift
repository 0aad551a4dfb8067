import Songs

/// A song, measured and ready to be broken into rows of any width.
struct SongLines {
    enum Line {
        case words([Piece])
        case note([Piece], Row.Dress)
        /// A sentence of this program about a change of key. Its length differs between keys, so it is never broken: otherwise it
        /// could take more rows in one key than in another, and move the words.
        case sign(String)
        case heading(String)
        /// The number of a slot that is drawn verbatim.
        case verbatim(Int)
        /// An empty line between two stanzas.
        case gap
        case newColumn
        case newPage

        fileprivate var isBreak: Bool {
            switch self {
            case .newColumn, .newPage: true
            default: false
            }
        }
    }

    private(set) var slots: [Slot] = []
    /// The parts of the song. A part without a heading may be divided at every gap.
    private(set) var parts: [[Line]] = []

    init(of copies: SongCopies, measure: any TextMeasure) {
        let song = copies.shown
        let forms = ChordForms(of: copies.own)
        slots = Self.slots(of: copies, forms, measure)
        let cutter = PieceCutter(measure: measure)
        var (slot, key) = (0, KeyWords(copies))
        for section in song.sections {
            if section.heading?.isLeftOut == true {
                slot += section.lines.reduce(0) { $0 + $1.chordTexts.count }
                continue
            }
            if section.heading?.kind == "grid" {
                let rows = slot..<(slot + section.lines.reduce(0) { $0 + $1.chordTexts.count })
                GridColumns(rows.map { (slots[$0].text, forms.forms[forms.places[$0]]) }).align(&slots[rows], measure)
            }
            var lines: [Line] = []
            if let heading = section.heading {
                // A section without a name, such as a tablature, gets no heading of its own.
                if let name = heading.name ?? Self.usualNames[heading.kind] { lines.append(.heading(name.plainLine)) }
            }
            func note(_ text: String) -> Line {
                let piece = text.plainLine.split(separator: " ").map {
                    Piece(text: String($0), width: measure.width(of: String($0), in: .note), face: .note, followsBlank: true)
                }
                return .note(piece, .none)
            }
            for line in section.lines {
                switch line {
                case .words(let words): lines.append(.words(cutter.pieces(of: words, firstSlot: slot, face: .words)))
                // The key has another width in every key, so a note that names it is never broken. A long note would not fit then.
                case .note(let words, _) where words.text.contains("%{") && words.chords.isEmpty && words.text.utf8.count < 60:
                    lines.append(.sign(song.expanding(words.text).plainLine))
                case .note(let words, let kind):
                    lines.append(.note(cutter.pieces(of: words, firstSlot: slot, face: .note), kind.dress))
                case .verbatim: lines.append(.verbatim(slot))
                case .blank: lines.append(.gap)
                case .newColumn: lines.append(.newColumn)
                case .newPage: lines.append(.newPage)
                case .change(.redefine(0)), .change(.transpose(0)): break
                case .change(let change): lines.append(.sign(key.take(change)))
                case .chorus(let name): lines.append(.heading(Self.chorus(name).plainLine))
                case .detail(let detail): lines.append(note("\(detail.name.capitalizedFirst): \(detail.value)"))
                case .hidden, .directive: break
                }
                slot += line.chordTexts.count
            }
            // If a section begins with a break, its heading comes after the break.
            if lines.count > 1, case .heading = lines[0], lines[1].isBreak { parts.append([lines.remove(at: 1)]) }
            if !lines.isEmpty { parts.append(lines) }
        }
    }

    var hasVerbatim: Bool { parts.contains { $0.contains { if case .verbatim = $0 { true } else { false } } } }

    private static let usualNames = ["verse": "Verse", "chorus": "Chorus", "bridge": "Bridge"]

    /// The heading of a repeated chorus. `2x` is how often it is sung, and not its name.
    private static func chorus(_ name: String?) -> String {
        guard let name else { return "Chorus" }
        return name.allSatisfy { $0.isNumber || "xX× ()".contains($0) } ? "Chorus \(name)" : name
    }

    /// The sum of the letters' widths. Hundreds of chords consist of few different letters, so this is fast. No text is wider than
    /// this sum.
    private static func room(for text: String, in face: Face, _ measure: any TextMeasure) -> Double {
        text.unicodeScalars.reduce(0) { $0 + measure.width(of: String(Character($1)), in: face) }
    }

    private struct RoomKey: Hashable {
        let form: Int
        let face: Face
    }

    /// The slots of all lines. Each has the room that its widest form in any key needs, whatever the present key is.
    private static func slots(of copies: SongCopies, _ forms: ChordForms, _ measure: any TextMeasure) -> [Slot] {
        let shown = copies.shown.sections.flatMap(\.lines).flatMap { line in line.chordTexts.map { (line, $0) } }
        let own = copies.own.sections.flatMap(\.lines).flatMap(\.chordTexts)
        let faces = zip(shown, own).map { shown, own -> Face in
            if case .verbatim = shown.0 { return .verbatim }
            return own.chords.isEmpty ? .filler : .chord
        }
        var known: [RoomKey: Double] = [:]
        let rooms = zip(forms.places, faces).map { form, face in
            let key = RoomKey(form: form, face: face)
            if let room = known[key] { return room }
            let room = forms.forms[form].reduce(0) { max($0, Self.room(for: Slot.shortened($1, face), in: face, measure)) }
            known[key] = room
            return room
        }
        return zip(zip(shown, own), zip(faces, rooms)).map { Slot($0.0.1, own: $0.1, face: $1.0, room: $1.1) }
    }
}

/// Writes the sentence about each change of key, and keeps track of the key.
private struct KeyWords {
    private var key: Key?
    private let naming: Naming
    private let isMoved: Bool
    private let capo: Int

    init(_ copies: SongCopies) {
        (naming, isMoved, capo) = (copies.shown.naming, copies.isMoved, copies.shown.capo)
        key = copies.shown.key
    }

    mutating func take(_ change: Song.KeyChange) -> String {
        switch change {
        case .redefine(let amount), .transpose(let amount?):
            guard isMoved, let former = key else { return "Key change: \(amount < 0 ? "−" : "+")\(abs(amount))" }
            key = former.moved(semitones: amount)
        case .transpose(nil): return "Key as before"
        case .key(let name):
            guard isMoved, let next = Key(name, naming: naming) else { return "Key: \(name)" }
            key = next
        }
        let shapes = key?.name(in: naming) ?? ""
        guard capo != 0, let sounding = key?.moved(semitones: capo) else { return "Key: \(shapes)" }
        return "Key: \(sounding.name(in: naming)) · shapes in \(shapes)"
    }
}

extension Song.NoteKind {
    fileprivate var dress: Row.Dress {
        switch self {
        case .plain, .italic, .chartsOnly: .none
        case .boxed: .box
        case .highlighted: .shade
        }
    }
}

extension String {
    var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
