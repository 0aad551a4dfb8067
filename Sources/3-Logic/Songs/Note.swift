/// A note as written: a letter with its sharps or flats, without an octave.
///
/// Its value is its position in the row of fifths … B♭ F C G D A E B F♯ …, where C is 0. One step to the right is a fifth up. Seven steps
/// add a sharp. Twelve steps lead to the same key of a piano under another name. So adding keeps both letters and semitones right.
public struct Note: Hashable, Sendable {
    public let fifths: Int

    public init(fifths: Int) { self.fifths = fifths }

    /// Fails unless `letter` is one of A to G. `accidental` is the number of sharps, negative for flats.
    public init?(letter: Unicode.Scalar, accidental: Int = 0) {
        guard let place = Self.row.firstIndex(of: letter) else { return nil }
        fifths = place - 1 + 7 * accidental
    }

    private static let row: [Unicode.Scalar] = ["F", "C", "G", "D", "A", "E", "B"]

    public var letter: Unicode.Scalar { Self.row[(fifths + 1).modulo(7)] }
    /// The number of sharps, negative for flats.
    public var accidental: Int { (fifths + 1 - (fifths + 1).modulo(7)) / 7 }
    /// The key of a piano: from 0 for C to 11 for B.
    public var pitch: Int { (fifths * 7).modulo(12) }

    public static func + (note: Note, interval: Interval) -> Note { Note(fifths: note.fifths + interval.fifths) }
    public static func - (note: Note, other: Note) -> Interval { Interval(fifths: note.fifths - other.fifths) }

    /// The note as players in `key` expect it. A double accidental is replaced by another name of the same piano key, and so are E♯
    /// B♯ F♭ C♭ if they are outside the key's scale. If the new name has an accidental, it is of the same kind as the key's.
    func respelt(in key: Key) -> Note {
        let isAwkward = fifths > 10 || fifths < -6
        guard isAwkward, abs(accidental) > 1 || !key.holds(self) else { return self }
        let plain = (fifths + 1).modulo(12) - 1
        guard plain > 5 else { return Note(fifths: plain) }
        let isFlat = key.signature == 0 ? fifths < 0 : key.signature < 0
        return Note(fifths: isFlat ? plain - 12 : plain)
    }
}

/// The distance from one note up to another, apart from octaves.
public struct Interval: Hashable, Sendable {
    public let fifths: Int

    public init(fifths: Int) { self.fifths = fifths }

    /// The number of letters upwards, 0 to 6.
    public var letters: Int { (fifths * 4).modulo(7) }
    /// The number of semitones upwards, 0 to 11.
    public var semitones: Int { (fifths * 7).modulo(12) }
}

extension Int {
    /// The remainder, which is never negative for a positive divisor.
    func modulo(_ divisor: Int) -> Int {
        let rest = self % divisor
        return rest < 0 ? rest + divisor : rest
    }
}
