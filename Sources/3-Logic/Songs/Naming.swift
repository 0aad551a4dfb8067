/// How the letters of notes are understood.
public enum Naming: Hashable, Sendable {
    case english
    /// H is the English B, and B is the English B♭.
    case german

    /// The notes that may begin at `start`, and the end of each; empty if none does. The note with fewer accidentals comes first,
    /// since the others may belong to the chord's suffix: in `Bbb5`, the note is `Bb`.
    func note(in text: ArraySlice<Unicode.Scalar>, at start: Int) -> [(note: Note, end: Int)] {
        guard start < text.endIndex else { return [] }
        let letter = text[start]
        let english: Unicode.Scalar = self == .german && letter == "H" ? "B" : letter
        guard let natural = Note(letter: english) else { return [] }
        let shift = self == .german && letter == "B" ? -7 : 0
        func sharpened(_ count: Int) -> Note {
            // In German, B alone means B♭. Some people write Bb, which is the same note.
            Note(fifths: natural.fifths + (shift < 0 && count < 0 ? 7 * count : 7 * count + shift))
        }
        if self == .german, let named = named(text, after: start) { return [(sharpened(named.sharps), named.end)] }
        var found: [(Note, Int)] = []
        var (count, place) = (0, start + 1)
        while place < text.endIndex, let step = text[place].sharps, abs(count + step) <= 2, count * step >= 0 {
            count += step
            place += 1
            found.append((sharpened(count), place))
        }
        return found.isEmpty ? [(sharpened(0), start + 1)] : found
    }

    /// Reads the endings in Fis, Des, Es and As. In Esus, the s is not part of the note.
    private func named(_ text: ArraySlice<Unicode.Scalar>, after start: Int) -> (sharps: Int, end: Int)? {
        let rest = text[(start + 1)...]
        if rest.starts(with: ["i", "s"]) { return (1, start + 3) }
        if rest.starts(with: ["e", "s"]) { return (-1, start + 3) }
        guard text[start] == "E" || text[start] == "A", rest.starts(with: ["s"]), !rest.starts(with: ["s", "u", "s"]) else { return nil }
        return (-1, start + 2)
    }

    /// The note's name, with `♯` and `♭` if `signs`, otherwise with `#` and `b`.
    func name(of note: Note, signs: Bool) -> String {
        var (letter, accidental) = (note.letter, note.accidental)
        if self == .german, letter == "B" {
            if accidental == -1 { accidental = 0 } else { letter = "H" }
        }
        let sign = accidental > 0 ? (signs ? "♯" : "#") : (signs ? "♭" : "b")
        return String(Character(letter)) + String(repeating: sign, count: abs(accidental))
    }
}

extension Unicode.Scalar {
    /// The number of sharps that the scalar adds to the letter before it, negative for flats; `nil` for other scalars.
    fileprivate var sharps: Int? {
        switch self {
        case "#", "♯": 1
        case "b", "♭": -1
        case "𝄪": 2
        case "𝄫": -2
        default: nil
        }
    }
}
