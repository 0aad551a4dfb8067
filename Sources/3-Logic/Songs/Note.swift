/// A note as it is written: a letter with its sharps or flats, in no octave.
///
/// Its value is its place in the row of fifths … B♭ F C G D A E B F♯ …, where C is 0. A step to the right is a fifth up, seven steps add a
/// sharp, and twelve lead to the same key of a piano under another name. So plain addition keeps both letters and semitones right.
public struct Note: Hashable, Sendable {
    public let fifths: Int

    public init(fifths: Int) { self.fifths = fifths }

    /// `letter` is one of C to B, `accidental` counts sharps above zero and flats below.
    public init?(letter: Unicode.Scalar, accidental: Int = 0) {
        guard let place = Self.row.firstIndex(of: letter) else { return nil }
        fifths = place - 1 + 7 * accidental
    }

    private static let row: [Unicode.Scalar] = ["F", "C", "G", "D", "A", "E", "B"]

    public var letter: Unicode.Scalar { Self.row[(fifths + 1).modulo(7)] }
    /// Sharps above zero, flats below.
    public var accidental: Int { (fifths + 1 - (fifths + 1).modulo(7)) / 7 }
    /// The key of a piano, 0 for C up to 11.
    public var pitch: Int { (fifths * 7).modulo(12) }

    public static func + (note: Note, interval: Interval) -> Note { Note(fifths: note.fifths + interval.fifths) }
    public static func - (note: Note, other: Note) -> Interval { Interval(fifths: note.fifths - other.fifths) }

    /// As players of a key read it: a double accidental, and E♯ B♯ F♭ C♭ outside the key's own scale, give way to the other name of the
    /// same piano key; if that has a sign, it is one like the key's.
    func respelt(in key: Key) -> Note {
        let isAwkward = fifths > 10 || fifths < -6
        guard isAwkward, abs(accidental) > 1 || !key.holds(self) else { return self }
        let plain = (fifths + 1).modulo(12) - 1
        guard plain > 5 else { return Note(fifths: plain) }
        let isFlat = key.signature == 0 ? fifths < 0 : key.signature < 0
        return Note(fifths: isFlat ? plain - 12 : plain)
    }
}

/// A way from one note to another, in no octave.
public struct Interval: Hashable, Sendable {
    public let fifths: Int

    public init(fifths: Int) { self.fifths = fifths }

    /// How many letters up, 0 to 6.
    public var letters: Int { (fifths * 4).modulo(7) }
    /// How many keys of a piano up, 0 to 11.
    public var semitones: Int { (fifths * 7).modulo(12) }
}

extension Int {
    /// The remainder, never below zero.
    func modulo(_ divisor: Int) -> Int {
        let rest = self % divisor
        return rest < 0 ? rest + divisor : rest
    }
}
