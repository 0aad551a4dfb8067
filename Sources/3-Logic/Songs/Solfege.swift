/// Chords that are named as in Romance languages: `Do`, `Lam`, `SOL7/Si`. They are recognised, so that none is misread as another chord
/// (`Do7` is not a D diminished) or left unmoved without a remark; but they are never moved.
struct Solfege {
    private var count = 0
    private var others = 0
    private var first: (text: String, line: Int)?

    /// Whether most of the song's chords are named in this way.
    var prevails: Bool { count > max(others, 1) }

    /// A remark about the first such chord, if most of the song's chords are named in this way.
    var remark: SongRemark? { prevails ? first.map { SongRemark(reason: .solfege, text: $0.text, line: $0.line) } : nil }

    mutating func take(_ line: Song.Line, at number: Int) {
        switch line {
        case .words(let words) where words.chords.isEmpty: take(words: words.text, at: number)
        case .verbatim(let text): take(words: text.written, at: number)
        case .words, .note: for text in line.chordTexts { take(text, at: number) }
        default: break
        }
    }

    private mutating func take(_ text: ChordText, at number: Int) {
        for case .chord(let chord) in text.pieces {
            let isNamed = chord.written.unicodeScalars.dropFirst().first == "o" && Self.isChord(Array(chord.written.unicodeScalars)[...])
            if isNamed { add(chord.written, at: number) } else { others += 1 }
        }
        for word in text.unknown where Self.isChord(Array(word.unicodeScalars)[...]) { add(word, at: number) }
    }

    /// A line above the words may have such names without brackets. It must have at least two different names, since `La la la` is sung.
    private mutating func take(words text: String, at number: Int) {
        for word in Self.chords(inLine: Array(text.unicodeScalars)[...]) { add(word.text, at: number) }
    }

    /// The names in a line that has nothing else, if at least two of them differ; otherwise empty.
    static func chords(inLine line: ArraySlice<Unicode.Scalar>) -> [ArraySlice<Unicode.Scalar>] {
        guard let letter = line.first(where: { !$0.isBlank }), "DRMFSL|(".unicodeScalars.contains(letter) else { return [] }
        let words = line.split(whereSeparator: \.isBlank).filter { !ChordText.isFiller($0) }
        return words.allSatisfy(isChord) && Set(words.map(\.text)).count > 1 ? words : []
    }

    /// Whether a word is such a name in capitals: `SOL`, `LA-`, `REm`.
    static func isShoutedChord(_ word: ArraySlice<Unicode.Scalar>) -> Bool {
        word.prefix(2).allSatisfy { (65...90).contains($0.value) } && isChord(word)
    }

    private mutating func add(_ text: String, at number: Int) {
        count += 1
        first = first ?? (text, number)
    }

    static func isChord(_ word: ArraySlice<Unicode.Scalar>) -> Bool {
        var rest = word.drop { $0 == "(" }
        while let last = rest.last, [")", "*", ",", "."].contains(last) { rest.removeLast() }
        guard rest.count <= 20, let root = note(rest)?.end else { return false }
        rest = rest[root...]
        if let slash = rest.lastIndex(of: "/"), note(rest[(slash + 1)...])?.end == rest.endIndex { rest = rest[..<slash] }
        return ChordSuffix(rest) != nil
    }

    /// The key that is named in this way: `Do`, `Lam`, `Sib`.
    static func key(_ text: String) -> Key? {
        let name = text.unicodeScalars.trimmed()
        return note(name).flatMap { note in
            Key(String(Character(note.letter)) + name[(name.startIndex + note.length)...].text)
        }
    }

    /// The note named at the beginning: its English letter, the length of its name, and the index after its accidental; `nil` if there is
    /// none.
    private static func note(_ text: ArraySlice<Unicode.Scalar>) -> (letter: Unicode.Scalar, length: Int, end: Int)? {
        guard text.first.map({ (65...90).contains($0.value) }) == true else { return nil }
        let letters = text.prefix(3).map { $0 == "é" || $0 == "É" ? "e" : $0.loweredASCII }
        guard let (name, letter) = names.first(where: { letters.starts(with: $0.name) }) else { return nil }
        let end = text.startIndex + name.count
        let hasSign = text[end...].first.map { ["#", "b", "♯", "♭"].contains($0) } == true
        return (letter, name.count, hasSign ? end + 1 : end)
    }

    private static let names: [(name: [Unicode.Scalar], letter: Unicode.Scalar)] = [
        ("sol", "G"), ("do", "C"), ("re", "D"), ("mi", "E"), ("fa", "F"), ("la", "A"), ("si", "B"),
    ].map { (Array($0.0.unicodeScalars), $0.1) }
}
