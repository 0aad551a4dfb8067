/// A key as it is named: F♯ and G♭ are two keys.
public struct Key: Hashable, Sendable, CustomStringConvertible {
    public let tonic: Note
    public let isMinor: Bool

    public init(tonic: Note, isMinor: Bool = false) { (self.tonic, self.isMinor) = (tonic, isMinor) }

    /// Reads `G`, `F#m`, `B♭ minor`, `A dorian` or, with German names, `H`, `fis-Moll`. A key with more than 7 accidentals, such as A♯,
    /// becomes the same key under its usual name. A church mode counts as major or minor, whichever its third makes it.
    public init?(_ text: String, naming: Naming = .english) {
        let scalars = text.unicodeScalars.trimmed()
        guard scalars.count <= 20, let first = scalars.first else { return nil }
        let rest = scalars.dropFirst().map { $0.loweredASCII }
        let mode = Self.modes.first { rest.ends(with: $0.ending) } ?? ([], false)
        let isSmall = (97...104).contains(first.value)
        var name = scalars.dropLast(mode.ending.count)
        while let last = name.last, last.isBlank || last == "-" && mode.ending.count > 1 { name.removeLast() }
        guard !isSmall || mode.ending.count > 1 || naming == .german, let letter = name.first else { return nil }
        name[name.startIndex] = isSmall ? letter.uppedASCII : letter
        guard let tonic = naming.note(in: name, at: name.startIndex).first(where: { $0.end == name.endIndex })?.note else { return nil }
        let read = Key(tonic: tonic, isMinor: mode.isMinor || isSmall && mode.ending.isEmpty)
        guard let usual = abs(read.signature) <= 7 ? read : read.twin else { return nil }
        self = usual
    }

    /// Reads a key that a person typed, who may leave out the capital, or use the German H.
    public init?(typed text: String, naming: Naming = .english) {
        let capital = text.prefix(1).uppercased() + text.dropFirst()
        let read = [(text, naming), (capital, naming), (capital, .german)].lazy.compactMap { Key($0, naming: $1) }
        guard let key = read.first else { return nil }
        self = key
    }

    /// The endings of key names. A longer ending comes before any shorter one that it ends with.
    private static let modes: [(ending: [Unicode.Scalar], isMinor: Bool)] = [
        ("minor", true), ("moll", true), ("min", true), ("major", false), ("dur", false), ("maj", false), ("m", true), ("-", true),
        ("dorian", true), ("dor", true), ("phrygian", true), ("phr", true), ("aeolian", true), ("aeo", true), ("locrian", true),
        ("loc", true), ("ionian", false), ("ion", false), ("mixolydian", false), ("mix", false), ("lydian", false), ("lyd", false),
    ].map { (Array($0.0.unicodeScalars), $0.1) }

    /// The number of sharps, or minus the number of flats.
    public var signature: Int { tonic.fifths - (isMinor ? 3 : 0) }

    /// Whether a note is in the scale. A minor key has both sixths and both sevenths, since its dominant chord needs the raised seventh.
    public func holds(_ note: Note) -> Bool {
        let place = note.fifths - signature
        return (-1...5).contains(place) || isMinor && (place == 6 || place == 8)
    }

    /// The key this many semitones away, under its name with the fewest accidentals. If F♯ and G♭ (or D♯ and E♭ minor) have equally many,
    /// the result is the name with the same kind of accidentals as this key's name.
    public func moved(semitones: Int) -> Key {
        guard semitones.modulo(12) != 0 else { return self }
        let sharps = (signature + semitones * 7).modulo(12)
        let isFlat = sharps > 6 || sharps == 6 && signature < 0
        return Key(tonic: Note(fifths: (isFlat ? sharps - 12 : sharps) + (isMinor ? 3 : 0)), isMinor: isMinor)
    }

    /// The key that a guitarist plays in so that this key sounds with a capo. Guitarists play E♭ minor rather than D♯ minor.
    public func shapes(capo: Int) -> Key {
        let key = moved(semitones: -(capo.modulo(12)))
        return capo != 0 && key.isMinor && key.signature == 6 ? key.twin ?? key : key
    }

    /// The key with the same notes on a piano but another name, if one with at most 7 accidentals exists.
    public var twin: Key? {
        let other = signature > 0 ? -12 : 12
        guard abs(signature) >= 5, abs(signature + other) <= 7 else { return nil }
        return Key(tonic: Note(fifths: tonic.fifths + other), isMinor: isMinor)
    }

    /// The interval to another key, which should have the same mode.
    public func interval(to key: Key) -> Interval { key.tonic - tonic }

    public var description: String { name(in: .english) }

    public func name(in naming: Naming) -> String { naming.name(of: tonic, signs: false) + (isMinor ? "m" : "") }
}
