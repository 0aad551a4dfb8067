/// The text in place of a chord: usually one chord, but also `N.C.`, `x2`, a bar line, or a whole row of bars.
public struct ChordText: Hashable, Sendable {
    public enum Piece: Hashable, Sendable {
        case chord(Chord)
        /// Text between chords, which is the same in every key.
        case text(String)
    }

    public internal(set) var pieces: [Piece]

    /// Joins neighbouring texts, so that the result is the same as after reading.
    init(joining all: [Piece]) {
        pieces = []
        for piece in all {
            if case .text(let text) = piece, case .text(let before)? = pieces.last {
                pieces[pieces.count - 1] = .text(before + text)
            } else {
                pieces.append(piece)
            }
        }
    }

    /// A line of a grid. What stands before its first bar is a label, and stays.
    init(grid line: ArraySlice<Unicode.Scalar>, _ naming: Naming) {
        guard let bar = line.firstIndex(of: "|") else {
            self.init(line, naming)
            return
        }
        self.init(joining: ChordText(plain: line[..<bar].text).pieces + ChordText(line[bar...], naming).pieces)
    }

    init(plain text: String) { pieces = text.isEmpty ? [] : [.text(text)] }

    public init(_ text: String, naming: Naming = .english) { self.init(Array(text.unicodeScalars)[...], naming) }

    init(_ text: ArraySlice<Unicode.Scalar>, _ naming: Naming) {
        pieces = []
        // In ChordPro, a star at the beginning marks an annotation, in which nothing is a chord.
        guard text.first != "*" else {
            pieces = [.text(text.text)]
            return
        }
        var between = text.startIndex
        var place = text.startIndex
        func isEdge(_ scalar: Unicode.Scalar) -> Bool { scalar.isBlank || !scalar.isASCIILetterOrDigit && Self.edges.contains(scalar) }
        while place < text.endIndex {
            let end = text[place...].firstIndex(where: isEdge) ?? text.endIndex
            for (chord, range) in end > place ? Self.chords(in: text[place..<end], naming) : [] {
                add(text[between..<range.lowerBound])
                pieces.append(.chord(chord))
                between = range.upperBound
            }
            place = text[end...].firstIndex { !isEdge($0) } ?? text.endIndex
        }
        add(text[between...])
    }

    /// The text in a bracket. What names a part of the song is no chord, as in `[Section A - Guitar]`, and stays in every key.
    init(inBrackets text: ArraySlice<Unicode.Scalar>, _ naming: Naming) {
        let read = ChordText(text, naming)
        self = read.namesParts ? ChordText(plain: text.text) : read
    }

    /// Whether the chords are one or two bare letters beside a word that is no chord, so that they may be names of parts. `C (hold)` and
    /// `Intro: G` have chords.
    var namesParts: Bool {
        let chords = chords
        guard (1...2).contains(chords.count), chords.allSatisfy({ $0.written.utf8.allSatisfy { (65...72).contains($0) || $0 == 47 } })
        else { return false }
        let words = unknown.filter { $0.unicodeScalars.count(where: \.properties.isAlphabetic) > 1 && !$0.contains { "()".contains($0) } }
        return SectionHeading.saysPart(words) || !words.isEmpty && !words.contains { $0.hasSuffix(":") }
    }

    private static let edges: Set<Unicode.Scalar> = ["|", ":", "~", "%", ";", "–", "—", "‖", ">", "[", "]", "→", "·"]
    private static let openings: Set<Unicode.Scalar> = ["(", "“", "\"", "'"]
    private static let endings: Set<Unicode.Scalar> = [")", "*", ".", ",", "!", "?", "/", "”", "\"", "'", "-"]

    private mutating func add(_ text: ArraySlice<Unicode.Scalar>) {
        if !text.isEmpty { pieces.append(.text(text.text)) }
    }

    /// The chords in a word: the whole word, or its part within brackets, quotes or punctuation, or several chords joined by hyphens.
    private static func chords(in word: ArraySlice<Unicode.Scalar>, _ naming: Naming) -> [(Chord, Range<Int>)] {
        if let chord = Chord(word, naming) { return [(chord, word.indices)] }
        // Most words of a sung line have no letter of a note, and need no further tries.
        guard word.count <= 60, word.contains(where: { ("A"..."H").contains($0) || $0 == "/" }) else { return [] }
        var inner = word
        for _ in 0..<4 {
            // `(G)` loses both brackets, but `G(add9)*` only the star.
            if let first = inner.first, openings.contains(first) { inner.removeFirst() }
            if let chord = Chord(inner, naming) { return [(chord, inner.indices)] }
            guard let last = inner.last, endings.contains(last) else { break }
            inner.removeLast()
            if let chord = Chord(inner, naming) { return [(chord, inner.indices)] }
        }
        let parts = word.split(separator: "-")
        let chords = parts.compactMap { part in Chord(part, naming).map { ($0, part.indices) } }
        return parts.count > 1 && chords.count == parts.count ? chords : []
    }

    /// The text as written.
    public var written: String {
        pieces.reduce(into: "") { text, piece in
            switch piece {
            case .chord(let chord): text += chord.written
            case .text(let other): text += other
            }
        }
    }

    public var chords: [Chord] {
        pieces.compactMap { piece in
            guard case .chord(let chord) = piece else { return nil }
            return chord
        }
    }

    /// The words that are neither chords nor usual among chords; empty for an annotation.
    var unknown: [String] {
        if pieces.count == 1, case .chord = pieces[0] { return [] }
        if case .text(let text)? = pieces.first, text.unicodeScalars.first == "*" { return [] }
        return pieces.flatMap { piece -> [String] in
            guard case .text(let text) = piece else { return [] }
            let words = Array(text.unicodeScalars).split { $0.isBlank }
            return words.filter { !Self.isFiller($0) }.map { $0.text }
        }
    }

    /// Whether a word is usual among chords: bars, strokes, repeats, `N.C.`
    static func isFiller(_ word: ArraySlice<Unicode.Scalar>) -> Bool {
        if saysNoChord(word) || ChordNumber.isNumber(word) || ChordNumber.loose(word) != nil { return true }
        if word.contains(where: \.isDigit) { return word.allSatisfy { $0.isDigit || counters.contains($0) } }
        return word.allSatisfy { edges.contains($0) || fillers.contains($0) }
    }

    /// Whether a word is `N.C.`, in any spelling with capitals.
    static func saysNoChord(_ word: ArraySlice<Unicode.Scalar>) -> Bool {
        guard (2...6).contains(word.count), word.first == "N" || word.first == "(" else { return false }
        let letters = word.filter { $0 != "." && $0 != "/" && $0 != "(" && $0 != ")" }
        return letters.elementsEqual(["N", "C"])
    }

    private static let counters: Set<Unicode.Scalar> = ["x", "X", "×", "/", "|", "(", ")", ".", ","]
    private static let fillers: Set<Unicode.Scalar> = ["/", "-", ".", "(", ")", "*", "\\", ",", "•", "^", "_"]
}
