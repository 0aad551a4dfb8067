/// A chord, read from its symbol: `F#m7/C#`.
public struct Chord: Hashable, Sendable {
    /// The root; `nil` for a bass alone, such as `/F#`: the chord before continues over another bass.
    public let root: Note?
    /// `m`, `-`, `dim`, `+` and the like, as written; empty for a major chord.
    public let quality: String
    /// The text between the quality and the bass: `7sus4`, `maj7(#11)`.
    public let extensions: String
    public let bass: Note?
    /// The symbol as written in the text.
    public let written: String

    init(root: Note?, quality: String, extensions: String, bass: Note?, written: String) {
        (self.root, self.quality, self.extensions, self.bass, self.written) = (root, quality, extensions, bass, written)
    }

    /// Fails unless the whole text is a chord.
    public init?(_ text: String, naming: Naming = .english) { self.init(text.unicodeScalars.trimmed(), naming) }

    init?(_ text: ArraySlice<Unicode.Scalar>, _ naming: Naming) {
        // Real symbols are shorter. Without a limit, a long line of one letter would be tried again and again.
        guard !text.isEmpty, text.count <= 40 else { return nil }
        if text.first == "/", let bass = Self.bass(text, at: text.startIndex, naming) {
            self.init(root: nil, quality: "", extensions: "", bass: bass, written: text.text)
            return
        }
        for (root, end) in naming.note(in: text, at: text.startIndex) {
            // The last slash begins the bass, except the slash in 6/9, which no note follows.
            let slash = text[end...].lastIndex(of: "/")
            if let slash, let bass = Self.bass(text, at: slash, naming), let suffix = ChordSuffix(text[end..<slash]) {
                self.init(root: root, quality: suffix.quality, extensions: suffix.extensions, bass: bass, written: text.text)
                return
            }
            guard let suffix = ChordSuffix(text[end...]) else { continue }
            self.init(root: root, quality: suffix.quality, extensions: suffix.extensions, bass: nil, written: text.text)
            return
        }
        return nil
    }

    private static func bass(_ text: ArraySlice<Unicode.Scalar>, at slash: Int, _ naming: Naming) -> Note? {
        naming.note(in: text, at: slash + 1).first { $0.end == text.endIndex }?.note
    }

    public var isMinor: Bool {
        switch quality {
        case "m", "mi", "min", "-": true
        default: false
        }
    }

    var notes: [Note] { [root, bass].compactMap(\.self) }

    /// The chord moved by an interval, with its root and bass spelt as readers in `key` expect them.
    func moved(by interval: Interval, in key: Key, _ naming: Naming, signs: Bool) -> Chord {
        let (root, bass) = (root.map { ($0 + interval).respelt(in: key) }, bass.map { ($0 + interval).respelt(in: key) })
        let written =
            (root.map { naming.name(of: $0, signs: signs) } ?? "") + quality + extensions
            + (bass.map { "/" + naming.name(of: $0, signs: signs) } ?? "")
        return Chord(root: root, quality: quality, extensions: extensions, bass: bass, written: written)
    }
}
