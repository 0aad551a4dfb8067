import Model

/// How a chord is played on an instrument.
public enum ChordShape: Hashable, Sendable {
    /// The fret of each string, in the order of a diagram: 0 for an open string, `nil` for one that is not played. `fingers` is empty, or
    /// has a text for each string.
    case strings([Int?], fingers: [String])
    /// The keys of a piano, in semitones above a C, from 0 to 23, or higher if the song itself says so.
    case keys([Int])

    /// The usual shape of a chord; `nil` if none is known.
    init?(of chord: Chord, on instrument: SongText.Diagrams) {
        guard let root = chord.root, let kind = ChordKind(of: chord) else { return nil }
        let bass = chord.bass.flatMap { $0.pitch == root.pitch ? nil : $0.pitch }
        switch instrument {
        case .piano: self = .keys(Self.pianoKeys(root: root.pitch, kind.intervals, bass: bass))
        case .guitar:
            let frets = Self.frets(kind.guitar, root: root.pitch)
            guard let bass else {
                self = .strings(frets, fingers: [])
                return
            }
            guard let lower = Self.frets(frets, over: bass, root: root.pitch, kind.intervals) else { return nil }
            self = .strings(lower, fingers: [])
        case .ukulele:
            // Its lowest string is not the first one, so it has no bass to choose.
            guard bass == nil else { return nil }
            self = .strings(Self.frets(kind.ukulele, root: root.pitch), fingers: [])
        }
    }

    /// The keys of a chord within two octaves.
    static func pianoKeys(root: Int, _ intervals: [Int], bass: Int? = nil) -> [Int] {
        let tones = intervals.map { interval -> Int in
            var key = root + interval
            if let bass, key <= bass { key += 12 }
            return key > 23 ? key - 12 : key
        }
        return Set(tones + (bass.map { [$0] } ?? [])).sorted()
    }

    /// The shape that lies lowest on the neck.
    private static func frets(_ shapes: ChordKind.Shapes, root: Int) -> [Int?] {
        if let fixed = shapes.fixed.first(where: { $0.root == root }) { return fixed.frets }
        let moved = shapes.movable.map { shape in shape.frets.map { $0.map { $0 + (root - shape.root).modulo(12) } } }
        return moved.min { highest($0) < highest($1) } ?? []
    }

    private static func highest(_ frets: [Int?]) -> Int { frets.compactMap(\.self).max() ?? 0 }

    /// A guitar's strings, in semitones above a C.
    static let guitar = [4, 9, 2, 7, 11, 4]
    static let ukulele = [7, 0, 4, 9]

    /// A guitar's shape with another bass on one of the lowest three strings; `nil` if a hand does not reach it, or if the chord would
    /// lose a tone.
    private static func frets(_ frets: [Int?], over bass: Int, root: Int, _ intervals: [Int]) -> [Int?]? {
        let shapes = (0...2).compactMap { string -> [Int?]? in
            var lower = frets
            for muted in 0..<string { lower[muted] = nil }
            lower[string] = (bass - guitar[string]).modulo(12)
            let pressed = lower.compactMap(\.self).filter { $0 > 0 }
            let (first, last) = (pressed.min() ?? 0, pressed.max() ?? 0)
            let isBarred = !lower.dropFirst(string + 1).contains(0) && pressed.count { $0 > first } <= 3
            guard last - first < 4, pressed.count <= 4 || isBarred else { return nil }
            let upper = zip(lower, guitar).dropFirst(string + 1).compactMap { fret, open in fret.map { ($0 + open - root).modulo(12) } }
            let isWhole = intervals.allSatisfy { upper.contains($0 % 12) || ($0 + root - bass).modulo(12) == 0 }
            return isWhole ? lower : nil
        }
        // The fullest shape that is no higher on the neck.
        return shapes.first { highest($0) <= highest(frets) } ?? shapes.first
    }
}

/// A kind of chord, with its tones and its usual shapes.
struct ChordKind {
    struct Shapes {
        struct Shape {
            let root: Int
            let frets: [Int?]
        }

        /// Shapes that can be moved up the neck.
        let movable: [Shape]
        /// Shapes of single chords, which are preferred to the movable ones.
        let fixed: [Shape]

        /// `text` has the movable shapes and then, after a bar, the fixed ones: each a root and the strings' frets, as in `A:x02220`.
        init(_ text: String) {
            let halves = text.split(separator: "|", omittingEmptySubsequences: false).map { half in
                half.split(separator: " ").map { word -> Shape in
                    let parts = word.split(separator: ":")
                    let root = Chord(String(parts[0]))?.root?.pitch ?? 0
                    return Shape(root: root, frets: parts[1].map { $0.wholeNumberValue })
                }
            }
            (movable, fixed) = (halves[0], halves.count > 1 ? halves[1] : [])
        }
    }

    /// The tones, in semitones above the root.
    let intervals: [Int]
    let guitar: Shapes
    let ukulele: Shapes

    private init(_ intervals: [Int], guitar: String, ukulele: String) {
        (self.intervals, self.guitar, self.ukulele) = (intervals, Shapes(guitar), Shapes(ukulele))
    }

    /// Fails for a chord of a kind that is not in the table.
    init?(of chord: Chord) {
        guard chord.root != nil else { return nil }
        let quality = Self.qualities[chord.quality] ?? chord.quality
        let suffix = quality + chord.extensions.replacing("♭", with: "b").filter { $0 != "(" && $0 != ")" }
        guard let kind = Self.kinds[Self.names[suffix] ?? suffix] else { return nil }
        self = kind
    }

    private static let qualities = ["mi": "m", "min": "m", "-": "m", "°": "dim", "º": "dim", "o": "dim", "+": "aug", "Ø": "ø", "h": "ø"]

    /// Other names of the kinds in the table.
    private static let names = [
        "maj": "", "Maj": "", "ma": "", "M": "", "ma7": "maj7", "Maj7": "maj7", "M7": "maj7", "Δ": "maj7", "Δ7": "maj7", "∆": "maj7",
        "∆7": "maj7", "△": "maj7", "△7": "maj7", "^": "maj7", "^7": "maj7", "sus": "sus4", "2": "add9", "add2": "add9", "7sus": "7sus4",
        "maj6": "6", "M6": "6", "ø": "m7b5", "ø7": "m7b5",
    ]

    static let kinds: [String: ChordKind] = [
        "": ChordKind(
            [0, 4, 7], guitar: "E:022100 A:x02220 D:xx0232|C:x32010 G:320003", ukulele: "C:0003 A:2100 G:0232 F:2010 D:2220"),
        "m": ChordKind(
            [0, 3, 7], guitar: "E:022000 A:x02210 D:xx0231", ukulele: "A:2000 D:2210 G:0231 C:0333 Gb:2120|E:0432 F:1013"),
        "7": ChordKind(
            [0, 4, 7, 10], guitar: "E:020100 A:x02020 D:xx0212|C:x32310 G:320001 B:x21202",
            ukulele: "C:0001 A:0100 G:0212 E:1202 D:2223"),
        "maj7": ChordKind(
            [0, 4, 7, 11], guitar: "E:021100 A:x02120 D:xx0222|C:x32000 F:xx3210 G:320002",
            ukulele: "C:0002 A:1100 G:0222 E:1302 D:2224"),
        "m7": ChordKind(
            [0, 3, 7, 10], guitar: "E:020000 A:x02010 D:xx0211|B:x20202", ukulele: "A:0000 G:0211 D:2213 E:0202"),
        "sus2": ChordKind(
            [0, 2, 7], guitar: "A:x02200 D:xx0230|C:x30033 E:024400 F:xx3013 G:300033",
            ukulele: "C:0233 D:2200 G:0230 A:2452 Bb:3011|F:0013"),
        "sus4": ChordKind(
            [0, 5, 7], guitar: "E:022200 A:x02230 D:xx0233|C:x33011 G:330013", ukulele: "C:0013 A:2200 G:0233 D:0230 F:3011|E:2402"),
        "dim": ChordKind([0, 3, 6], guitar: "A:x0121x D:xx0131", ukulele: "G:0131 B:4212 E:0401 A:2353"),
        "aug": ChordKind(
            [0, 4, 8], guitar: "E:xx2110 Ab:xx2110 C:xx2110",
            ukulele: "C:1003 E:1003 Ab:1003 A:2110 F:2110 Db:2110 G:0332 Eb:0332 B:0332"),
        "6": ChordKind(
            [0, 4, 7, 9], guitar: "E:022120 A:x02222 D:xx0202|C:x32210 G:320000", ukulele: "C:0000 G:0202 F:2213 Bb:0211"),
        "m6": ChordKind([0, 3, 7, 9], guitar: "E:022020 A:x02212 D:xx0201", ukulele: "E:0102 G:0201 D:2212 B:1222|A:2423"),
        "9": ChordKind(
            [0, 4, 7, 10, 14], guitar: "E:020102 B:x21222|A:x02423 G:3x0201 Bb:x1011x", ukulele: "A:0102 C:0201 G:2212 E:1222"),
        "add9": ChordKind(
            [0, 4, 7, 14], guitar: "E:024100 A:x02420 C:x3203x|C:x32030 D:xx0252 F:xx3213 G:300203",
            ukulele: "C:0203 G:2232 F:0010 A:2102 E:1422"),
        "5": ChordKind([0, 7], guitar: "E:022xxx A:x022xx D:xx023x", ukulele: "C:0033 A:2400 G:0235 E:4402|Ab:8846"),
        "7sus4": ChordKind([0, 5, 7, 10], guitar: "E:020200 A:x02030 D:xx0213", ukulele: "C:0011 A:0200 G:0213 E:2202 D:2233"),
        "m7b5": ChordKind([0, 3, 6, 10], guitar: "A:x0101x D:xx0111", ukulele: "E:0201 Db:0102 B:2212 Ab:1222"),
        "dim7": ChordKind(
            [0, 3, 6, 9], guitar: "D:xx0101 F:xx0101 Ab:xx0101 B:xx0101", ukulele: "E:0101 G:0101 Bb:0101 Db:0101"),
    ]
}
