/// Finds the words and chords of a text with a few patterns. It does not use the tested module `Songs`, so the results of both can be
/// compared.
struct PlainReading {
    /// Every word that is sung or read, in order, byte for byte.
    private(set) var words: [[UInt8]] = []
    /// The lines that have words, without their chords, but with all blanks.
    private(set) var lines: [[UInt8]] = []
    private(set) var chords: [PlainChord] = []
    /// Texts in brackets or above the words that are not chords.
    private(set) var others: [String] = []
    /// For each chord, by how many semitones the song has transposed its chords up to that place.
    private(set) var shifts: [Int] = []
    /// For each chord, how many semitones the key at that place is from the first key.
    private(set) var keys: [Int] = []

    /// Lines of words with the chords from the line above in brackets, unless a tab or a tag moves the visible text.
    private(set) var pairs: [String] = []

    private let isGerman: Bool
    private let hasNumbers: Bool
    private var shift = 0
    private var key = 0

    private init(isGerman: Bool, hasNumbers: Bool) { (self.isGerman, self.hasNumbers) = (isGerman, hasNumbers) }

    /// Reads the service's text. If a chord begins with H, all names are German.
    init(service text: String) {
        self.init(service: text, isGerman: true)
        if !chords.contains(where: { $0.text.hasPrefix("H") }) { self.init(service: text, isGerman: false) }
    }

    private init(service text: String, isGerman: Bool) {
        self.init(isGerman: isGerman, hasNumbers: false)
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        for (number, line) in lines.map(Self.withoutTags).enumerated() {
            let parts = line.split(whereSeparator: \.isWhitespace).map { Self.shouted($0) }
            let whole = parts.joined(separator: " ")
            // Compares bytes, since Swift takes the Kelvin sign for a K, and the service does not.
            if parts.count == 3, parts[1].utf8.elementsEqual("KEY".utf8), let amount = Int(parts[2]) {
                (shift, key) = (shift + (parts[0] == "TRANSPOSE" ? amount : 0), key + amount)
            } else if ["COLUMN_BREAK", "PAGE_BREAK"].contains(whole.filter { $0 != "{" && $0 != "}" && $0 != " " }) {
                continue
            } else if whole.hasPrefix("{"), whole.hasSuffix("}") {
                let note = line.drop { $0.isWhitespace }
                take(note.hasPrefix("{{") ? note.dropFirst(2).dropLast(2) : note.dropFirst().dropLast(), isNote: true)
            } else if isAbove(line) {
                for part in line.split(whereSeparator: \.isWhitespace) { takeChords(part) }
                if number + 1 < lines.count, line == lines[number] { takePair(line, lines[number + 1]) }
            } else {
                take(line[...])
            }
        }
    }

    /// Reads a ChordPro text that the module has written.
    init(written text: String, hasNumbers: Bool = false) {
        self.init(isGerman: text.contains("{x_notes: german}"), hasNumbers: hasNumbers)
        for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
            guard line.hasPrefix("{"), line.hasSuffix("}") else {
                take(Self.withoutTags(line)[...])
                continue
            }
            let parts = line.dropFirst().dropLast().split(separator: ":", maxSplits: 1)
            let (name, value) = (parts[0], parts.count > 1 ? Self.withoutTags(parts[1]).drop { $0 == " " } : "")
            if name == "x_redefine_key" { key += Int(value)! }
            if name.contains("comment") || name.hasPrefix("start_of_") { take(value) }
        }
    }

    private static func shouted(_ text: Substring) -> String {
        String(decoding: text.utf8.map { (97...122).contains($0) ? $0 - 32 : $0 }, as: UTF8.self)
    }

    private static func withoutTags(_ line: Substring) -> String { String(line.replacing(/<\/?(b|i|u|strong|em)>/, with: "")) }

    /// Whether this is a line of chords above words: it has a chord, and no word outside parentheses.
    private func isAbove(_ line: String) -> Bool {
        guard !line.contains("[") else { return false }
        let parts = line.split(whereSeparator: \.isWhitespace)
        let isFound = parts.first.map { chord($0) != nil || Self.isSign($0) } == true && parts.contains { chord($0) != nil || $0 == "N.C." }
        let outside = line.replacing(/\([^()]*\)/, with: " ").split(whereSeparator: \.isWhitespace)
        return isFound && outside.allSatisfy { chord($0) != nil || Self.isSign($0) }
    }

    private static func isSign(_ text: Substring) -> Bool { text.wholeMatch(of: /[|:\/%.\-]+|x\d|\(\d?x?\)?|N\.C\.|\(4x\)/) != nil }

    private mutating func take(_ line: Substring, isNote: Bool = false) {
        for match in line.matches(of: /\[([^\[\]]*)\]/) {
            for part in match.1.split(whereSeparator: \.isWhitespace) { takeChords(part) }
        }
        // Blanks at both ends of a note belong to the braces and not to its text.
        let inner = isNote ? line.replacing(/^\s+|\s+$/, with: "") : line
        let text = inner.replacing(/\[[^\[\]]*\]/, with: "")
        let parts = text.split(whereSeparator: \.isWhitespace)
        words += parts.map { Array($0.utf8) }
        if !parts.isEmpty { lines.append(Array(text.utf8)) }
    }

    private mutating func takePair(_ above: String, _ line: Substring) {
        let isWords = !line.allSatisfy(\.isWhitespace) && !line.contains("[") && !line.contains("<") && !isAbove(String(line))
        // Names of parts, codes and shouted words are all in capitals. Only shouted words can have a comma.
        let isShouted = Self.shouted(line) == line && !line.contains(",") || line.contains("_")
        guard isWords, !isShouted, !(above + line).contains("\t") else { return }
        var (pair, taken) = ("", 0)
        for part in above.split(whereSeparator: \.isWhitespace) {
            let column = min(above.distance(from: above.startIndex, to: part.startIndex), line.count)
            pair += line.dropFirst(taken).prefix(column - taken) + "[\(part)]"
            taken = column
        }
        pairs.append(pair + line.dropFirst(taken))
    }

    private mutating func takeChords(_ part: Substring) {
        guard let chord = chord(part) else { return others.append(String(part)) }
        chords.append(chord)
        shifts.append(shift)
        keys.append(key)
    }

    private func chord(_ part: Substring) -> PlainChord? {
        let inner = part.hasPrefix("(") && part.hasSuffix(")") ? part.dropFirst().dropLast() : part
        return hasNumbers ? PlainChord(number: inner) : PlainChord(inner, isGerman: isGerman)
    }
}

/// A chord reduced to the piano keys of its root and bass.
struct PlainChord: Equatable {
    let text: String
    /// 0 is C. For a chord written as a number, 0 is the tonic of the major key.
    let root: Int
    let bass: Int?

    init?(_ part: Substring, isGerman: Bool) {
        guard let match = part.wholeMatch(of: Self.symbol), isGerman || !part.contains("H") else { return nil }
        func pitch(_ letter: Substring, _ sign: Substring?) -> Int {
            let natural = isGerman && letter == "B" ? 10 : ["C": 0, "D": 2, "E": 4, "F": 5, "G": 7, "A": 9, "B": 11, "H": 11][letter]!
            return switch sign ?? "" {
            case "#", "♯", "is": (natural + 1) % 12
            case "b", "♭", "es", "s": (natural + 11) % 12
            default: natural
            }
        }
        (text, root) = (String(part), pitch(match.1, match.2))
        bass = match.4.map { pitch($0, match.5.flatMap { $0 }) }
    }

    init?(number part: Substring) {
        guard let match = part.wholeMatch(of: Self.number) else { return nil }
        func pitch(_ sign: Substring?, _ degree: Substring) -> Int {
            let natural = [0, 2, 4, 5, 7, 9, 11][Int(degree)! - 1]
            return switch sign ?? "" {
            case "#", "♯": (natural + 1) % 12
            case "b", "♭": (natural + 11) % 12
            default: natural
            }
        }
        (text, root) = (String(part), pitch(match.1, match.2))
        bass = match.5.map { pitch(match.4.flatMap { $0 }, $0) }
    }

    /// The root and the bass, moved by this many semitones.
    func moved(_ semitones: Int) -> [Int?] { [root, bass].map { $0.map { (($0 + semitones) % 12 + 12) % 12 } } }

    nonisolated(unsafe) private static let symbol =
        /([A-H])(#|b|♯|♭|is|es|s)?(maj|min|dim|aug|sus|add|alt|no|m|M|b|#|♯|♭|°|\+|-|\d|\(|\)|,)*(?:\/([A-H])(#|b|♯|♭|is|es|s)?)?/
    nonisolated(unsafe) private static let number =
        /(#|b|♯|♭)?([1-7])(maj|min|dim|aug|sus|add|alt|no|m|M|b|#|♯|♭|°|\+|-|\d|\(|\)|,)*(?:\/(#|b|♯|♭)?([1-7]))?/
}
