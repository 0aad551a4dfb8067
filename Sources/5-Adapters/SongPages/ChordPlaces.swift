import Songs

/// Decides over which letters of a line its chords are placed.
///
/// Chords in brackets stay where the writer put them. Chords on a line above the words are placed only roughly, because spaces shift; if
/// drawn over the exact letter, such a chord could tear a word apart. So they move to the nearest beginning of a word or syllable.
struct ChordPlaces {
    private let letters: [Unicode.Scalar]

    init(_ letters: [Unicode.Scalar]) { self.letters = letters }

    func places(of line: WordLine) -> [Int] {
        guard line.hasChordsAbove else { return line.chords.map(\.place) }
        var former = -1
        return line.chords.map { chord in
            let choices = choices(near: chord.place)
            let nearest = choices.filter { $0 > former }.min { abs($0 - chord.place) < abs($1 - chord.place) }
            // If two chords belong to one syllable, the second stands directly after the first.
            let place = nearest ?? (choices.contains(former) ? former : max(chord.place, former))
            former = place
            return place
        }
    }

    /// The positions in the line to which a chord that is written at `place` may move, in order.
    private func choices(near place: Int) -> [Int] {
        guard isLetter(place), isLetter(place - 1) else {
            // A chord on the single space between two words moves to the second word. Any other chord between words stays there.
            let isBefore = isLetter(place - 1) && !isLetter(place) && isLetter(place + 1)
            return [isBefore ? place + 1 : place]
        }
        // A text this long without spaces is not a word, and thousands of chords could stand over it.
        let near = letters[max(0, place - Self.longest)..<min(letters.count, place + Self.longest)]
        guard near.count < 2 * Self.longest || near.contains(where: { !isWord($0) }) else { return [place] }
        let start = near[..<place].lastIndex { !isWord($0) }.map { $0 + 1 } ?? near.startIndex
        let end = near[place...].firstIndex { !isWord($0) } ?? near.endIndex
        guard letters[start..<end].allSatisfy(Syllables.areKnown) else { return [place] }
        var choices = [start] + Syllables.beginnings(in: letters[start..<end])
        // A chord over the last letters more likely belongs to the next word, if there is one.
        if place >= end - Self.last { choices.append(isLetter(end + 1) ? end + 1 : end) }
        return choices
    }

    private static let longest = 60

    /// A chord over this many last letters of a word may belong to the next word.
    private static let last = 2

    private func isLetter(_ place: Int) -> Bool { letters.indices.contains(place) && isWord(letters[place]) }
    private func isWord(_ letter: Unicode.Scalar) -> Bool { !letter.properties.isWhitespace }
}

/// Finds approximately where a word can be divided. This is enough, since writers do not place chords more exactly.
enum Syllables {
    /// Whether syllables can be found in the letter's script, because it is Latin or each of its signs is a syllable. Also true for
    /// characters that are not letters, such as digits and punctuation.
    static func areKnown(_ letter: Unicode.Scalar) -> Bool {
        !letter.properties.isAlphabetic || letter.value < 0x250 || letter.value >= 0x2E80 || (0x1E00..<0x1F00).contains(letter.value)
    }

    /// The beginnings of the word's syllables and of its parts after hyphens, except the first.
    static func beginnings(in word: ArraySlice<Unicode.Scalar>) -> [Int] {
        var beginnings: [Int] = []
        var (hasVowel, consonants) = (false, word.startIndex)
        for place in word.indices {
            let letter = word[place]
            let isFirst = place == word.startIndex
            if letter.value >= 0x2E80, !isFirst, !letter.isMark {
                // In scripts without spaces, each sign is a syllable.
                beginnings.append(place)
            } else if !isFirst, word[place - 1] == "-" || word[place - 1] == "‐" {
                beginnings.append(place)
                (hasVowel, consonants) = (isVowel(letter), place)
            } else if isVowel(letter) {
                let isAfterVowel = !isFirst && place - 1 >= consonants && isVowel(word[place - 1])
                if hasVowel, !isAfterVowel, !isSilent(word, at: place) {
                    beginnings.append(onset(word[consonants..<place]))
                }
                hasVowel = true
                if place + 1 < word.endIndex, !isVowel(word[place + 1]) { consonants = place + 1 }
            }
        }
        return beginnings.filter { $0 > word.startIndex && !word[$0].isMark }
    }

    /// Where the second of two syllables begins: before the last consonant between their vowels, or before the last two or three if
    /// these can begin a word.
    private static func onset(_ consonants: ArraySlice<Unicode.Scalar>) -> Int {
        let text = consonants.map { Character($0).lowercased() }
        for count in [3, 2] where text.count >= count && together.contains(text.suffix(count).joined()) {
            return consonants.endIndex - count
        }
        return max(consonants.startIndex, consonants.endIndex - 1)
    }

    private static let together: Set<String> = [
        "bl", "br", "ch", "cl", "cr", "dr", "fl", "fr", "gl", "gr", "kl", "kr", "ph", "pl", "pr", "qu", "sch", "sh", "sp", "st", "str",
        "th", "thr", "tr", "tw", "wh", "wr",
    ]

    /// Whether the letter is an e at the end of a word, or before a final s; such an e is assumed to be silent.
    private static func isSilent(_ word: ArraySlice<Unicode.Scalar>, at place: Int) -> Bool {
        guard word[place] == "e" || word[place] == "E" else { return false }
        let rest = word[(place + 1)...].prefix { $0.properties.isAlphabetic }
        return rest.isEmpty || rest.count == 1 && (rest.first == "s" || rest.first == "S")
    }

    private static func isVowel(_ letter: Unicode.Scalar) -> Bool { vowels.contains(letter) }
    private static let vowels = Set("aeiouyäöüáàâãåéèêëíìîïóòôõøúùûýÿæœAEIOUYÄÖÜÁÀÂÃÅÉÈÊËÍÌÎÏÓÒÔÕØÚÙÛÝŸÆŒ".unicodeScalars)
}

extension Unicode.Scalar {
    fileprivate var isMark: Bool {
        switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .spacingMark: true
        default: false
        }
    }
}
