/// The key of a chart's chords, regardless of its name: G♭ equals F♯. This type only distinguishes keys; `Songs.Key` knows their notes.
public struct ChordKey: Hashable, Comparable, Sendable, CustomStringConvertible {
    private let pitch: Int
    private let isMinor: Bool

    private static let pitches: [Unicode.Scalar: Int] = ["C": 0, "D": 2, "E": 4, "F": 5, "G": 7, "A": 9, "B": 11]
    private static let signs: [Unicode.Scalar: Int] = ["#": 1, "♯": 1, "b": -1, "♭": -1]
    private static let names = ["C", "Db", "D", "Eb", "E", "F", "F#", "G", "Ab", "A", "Bb", "B"]

    /// Reads names such as `G`, `Gb`, `G♭m`. Fails for any other text.
    public init?(_ name: String) {
        var rest = name.unicodeScalars.prefix(4)[...]
        guard let letter = rest.popFirst().flatMap({ Self.pitches[$0] }) else { return nil }
        let sign = rest.first.flatMap { Self.signs[$0] }
        if sign != nil { rest.removeFirst() }
        isMinor = rest.first == "m"
        if isMinor { rest.removeFirst() }
        guard rest.isEmpty else { return nil }
        pitch = (letter + (sign ?? 0) + 12) % 12
    }

    /// A fixed name for each key. Reading this name gives the same key.
    public var description: String { Self.names[pitch] + (isMinor ? "m" : "") }

    /// All names of the key with this name, beginning with the given one; empty if the text is not the name of a key.
    public static func names(of name: String) -> [String] {
        guard let key = ChordKey(name) else { return [] }
        let all = pitches.keys.flatMap { letter in ["", "#", "b"].map { "\(letter)\($0)\(key.isMinor ? "m" : "")" } }
        return [name] + all.filter { $0 != name && ChordKey($0) == key }.sorted()
    }

    public static func < (left: ChordKey, right: ChordKey) -> Bool { left.description < right.description }
}
