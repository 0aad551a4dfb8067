/// The notation of chords.
public enum ChordWriting: Hashable, Sendable {
    /// With letters, as in the chart.
    case letters
    /// With the degrees of the scale, as in Nashville: `1 4 5 6- 2/#4`.
    case numbers(MinorNumbers)

    /// Which note is 1 in a minor key. Both conventions are in use.
    public enum MinorNumbers: Hashable, Sendable {
        /// The tonic of the major key with the same accidentals is 1, so the minor key's own tonic chord is `6-`.
        case fromMajor
        case fromTonic
    }

    func piece(_ chord: Chord, in key: Key, _ naming: Naming, signs: Bool) -> ChordText.Piece {
        switch self {
        case .letters: .chord(chord)
        case .numbers(let minor): .text(ChordNumber(chord, in: key, minor, signs: signs).written)
        }
    }
}

/// A chord as a number. A layout may raise the part after the degree, so that a 1 with a 2 does not look like 12.
public struct ChordNumber: Hashable, Sendable {
    /// The degree of the root, such as `#4`; empty for a bass without a chord.
    public let degree: String
    public let quality: String
    public let extensions: String
    /// The degree of the bass, such as `5`, without the slash.
    public let bass: String?

    public init(_ chord: Chord, in key: Key, _ minor: ChordWriting.MinorNumbers = .fromMajor, signs: Bool = false) {
        let one = minor == .fromTonic ? key.tonic : Note(fifths: key.signature)
        let isMinor = minor == .fromTonic && key.isMinor
        degree = chord.root.map { Self.degree($0 - one, isMinor, signs) } ?? ""
        quality = chord.isMinor ? "-" : chord.quality
        extensions = chord.extensions
        bass = chord.bass.map { Self.degree($0 - one, isMinor, signs) }
    }

    public var written: String { degree + quality + extensions + (bass.map { "/" + $0 } ?? "") }

    /// Whether a word is a chord as a number, as `written` gives it.
    static func isNumber(_ word: ArraySlice<Unicode.Scalar>) -> Bool {
        func degree(_ text: ArraySlice<Unicode.Scalar>) -> ArraySlice<Unicode.Scalar>? {
            let rest = text.drop { "#b♯♭".unicodeScalars.contains($0) }
            return rest.first.map { ("1"..."7").contains($0) } == true ? rest.dropFirst() : nil
        }
        guard word.count <= 20, var rest = degree(word) else { return false }
        if let slash = rest.lastIndex(of: "/"), degree(rest[(slash + 1)...])?.isEmpty == true { rest = rest[..<slash] }
        return ChordSuffix(rest) != nil
    }

    /// A word of a line without brackets that is such a number, perhaps beside a bar; `nil` for others, and for longer figures, such
    /// as a year.
    static func loose(_ word: ArraySlice<Unicode.Scalar>) -> String? {
        let inner = word.drop { rims.contains($0) }
        let number = inner[..<(inner.lastIndex { !rims.contains($0) }.map { $0 + 1 } ?? inner.startIndex)]
        guard isNumber(number), number.count == 1 || !number.allSatisfy(\.isDigit) else { return nil }
        return number.text
    }

    /// Signs around numbers: bars, brackets, a diamond for a long note, a stroke for an early one.
    private static let rims: Set<Unicode.Scalar> = ["|", "(", ")", ":", "‖", "<", ">", "'"]

    /// The letter decides the degree, as the author meant it. But ♯3 becomes 4, ♭1 becomes 7 and ♯6 becomes ♭7, as players name them.
    private static func degree(_ interval: Interval, _ isMinor: Bool, _ signs: Bool) -> String {
        var fifths = interval.fifths
        while fifths > 9 { fifths -= 12 }
        while fifths < -6 { fifths += 12 }
        let note = Note(fifths: fifths)
        let number = Interval(fifths: fifths).letters + 1
        // In a minor scale, the third, sixth and seventh degrees have no sign.
        let lowered = isMinor && [3, 6, 7].contains(number) ? 1 : 0
        let accidental = note.accidental + lowered
        let sign = accidental > 0 ? (signs ? "♯" : "#") : (signs ? "♭" : "b")
        return String(repeating: sign, count: abs(accidental)) + String(number)
    }
}
