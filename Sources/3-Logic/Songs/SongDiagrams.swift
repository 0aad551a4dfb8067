public import Model

/// The diagrams of the chords that a song uses, in the order of their first use.
public struct SongDiagrams: Sendable {
    public struct Diagram: Hashable, Sendable {
        /// The chord as it is written in the song.
        public let name: String
        public let shape: ChordShape
    }

    public private(set) var diagrams: [Diagram] = []
    /// The chords without a known shape, as they are written in the song.
    public private(set) var unknown: [String] = []
    /// The most diagrams that the song has in any key or notation. With room for so many, words are at the same places in all.
    public let most: Int

    /// The octaves that a keyboard needs for the chords that the song itself defines, at least two: for both hands, they may be more.
    public private(set) var octaves = 2

    /// `own` is the song as it was written. Its own definitions are right only for chords that have not moved.
    public init(of song: Song, own: Song, for instrument: SongText.Diagrams) {
        let directives = DiagramDirectives(of: own, for: instrument)
        guard !directives.areOff else {
            most = 0
            return
        }
        for case .keys(let keys) in directives.shapes.values { octaves = max(octaves, (keys.max() ?? 0) / 12 + 1) }
        // As many as with letters in the song's own key: in other keys and in numbers, there are no more.
        let plain = (try? own.written(capo: own.capo)) ?? own
        most = Self.pairs(plain, own).count { pair in
            ChordKind(of: pair.shown) != nil || directives.shapes[Sound(pair.own)] != nil
        }
        for pair in Self.pairs(song, own) {
            let hasMoved = pair.shown.root?.pitch != pair.own.root?.pitch
            let defined = hasMoved ? nil : directives.shapes[Sound(pair.own)]
            if let shape = defined ?? ChordShape(of: pair.shown, on: instrument) {
                diagrams.append(Diagram(name: pair.shown.written, shape: shape))
            } else {
                unknown.append(pair.shown.written)
            }
        }
    }

    /// The directives about diagrams that are followed, as they are written in the text.
    public static func directives(of song: Song, for instrument: SongText.Diagrams) -> Set<String> {
        DiagramDirectives(of: song, for: instrument).followed
    }

    /// A chord apart from the names of its notes.
    fileprivate struct Sound: Hashable {
        let root: Int?
        let suffix: String
        let bass: Int?

        init(_ chord: Chord) {
            (root, suffix, bass) = (chord.root?.pitch, chord.quality + chord.extensions, chord.bass?.pitch)
        }
    }

    /// Each different chord of the parts that are drawn, with the same chord as it was written.
    private static func pairs(_ song: Song, _ own: Song) -> [(shown: Chord, own: Chord)] {
        var known: Set<Sound> = []
        return zip(song.drawnChords, own.drawnChords).flatMap { shown, own in Array(zip(shown, own)) }
            .filter { known.insert(Sound($0.0)).inserted }.map { ($0.0, $0.1) }
    }
}

extension Song {
    /// The chords of each text in place of chords, except in parts that are left out.
    fileprivate var drawnChords: [[Chord]] {
        sections.filter { $0.heading?.isLeftOut != true }.flatMap(\.lines).flatMap(\.chordTexts).map(\.chords)
    }
}

/// What a song's text says about diagrams.
private struct DiagramDirectives {
    private(set) var areOff = false
    private(set) var shapes: [SongDiagrams.Sound: ChordShape] = [:]
    private(set) var followed: Set<String> = []

    /// As in ChordPro, a later definition overwrites an earlier one of the same chord, and `chord` defines none for the rest of the song: its
    /// shape is drawn if nothing else defines the chord.
    init(of song: Song, for instrument: SongText.Diagrams) {
        var written: [SongDiagrams.Sound: (text: String, isDefined: Bool)] = [:]
        for case .directive(let text) in song.lines where text.utf8.count <= Self.longest {
            guard let directive = ChordProDirective(Array(text.unicodeScalars)[...]) else { continue }
            if let selector = directive.selector, (selector.name == instrument.rawValue) == selector.isNegated { continue }
            switch directive.name {
            case "diagrams": areOff = areOff || directive.value.lowercased() == "off"
            case "no_grid", "ng": areOff = true
            case "grid", "g": break
            case "define", "chord":
                guard let (chord, shape) = Self.definition(directive.value, song.naming, instrument) else { continue }
                let (sound, isDefined) = (SongDiagrams.Sound(chord), directive.name == "define")
                guard isDefined || written[sound]?.isDefined != true else { continue }
                (shapes[sound], written[sound]) = (shape, (text, isDefined))
                continue
            default: continue
            }
            followed.insert(text)
        }
        // What was overwritten is named.
        followed.formUnion(written.values.map(\.text))
    }

    /// A longer definition is none that anybody plays.
    private static let longest = 400
    private static let highestFret = 24
    /// Three octaves, which is as far as two hands reach in a song.
    private static let highestKey = 37
    /// The most frets that a diagram shows.
    private static let mostFrets = 5

    /// Reads `Am base-fret 1 frets x 0 2 2 1 0 fingers …` or `Am keys 0 3 7`; `nil` if it has no shape for this instrument.
    private static func definition(
        _ value: String, _ naming: Naming, _ instrument: SongText.Diagrams
    ) -> (Chord, ChordShape)? {
        var words = value.split { $0 == " " || $0 == "\t" }.map(String.init)[...]
        guard let name = words.popFirst(),
            let chord = Chord(name.last == ":" ? String(name.dropLast()) : name, naming: naming)
        else { return nil }
        var (lists, list): ([String: [String]], String) = ([:], "")
        for word in words {
            if ["base-fret", "frets", "fingers", "keys", "diagram", "display", "format", "copy", "copyall"].contains(word) {
                list = word
                lists[word] = []
            } else {
                lists[list, default: []].append(word)
            }
        }
        guard instrument != .piano else {
            guard let root = chord.root?.pitch, let keys = lists["keys"]?.compactMap({ Int($0) }), !keys.isEmpty,
                keys.allSatisfy({ (0..<highestKey).contains($0) })
            else { return nil }
            return (chord, .keys(Set(keys.map { root + $0 }).sorted()))
        }
        let base = lists["base-fret"]?.first.flatMap { Int($0) } ?? 1
        let strings = instrument == .guitar ? ChordShape.guitar.count : ChordShape.ukulele.count
        guard let written = lists["frets"], written.count == strings, (1...highestFret).contains(base) else { return nil }
        // A fret is counted from the base fret, and -1 or any letter stands for a string that is not played.
        let frets = written.map { word -> Int? in
            Int(word).flatMap { (0...highestFret).contains($0) ? ($0 == 0 ? 0 : $0 + base - 1) : nil }
        }
        let pressed = frets.compactMap(\.self).filter { $0 > 0 }
        guard (pressed.max() ?? 0) - (pressed.min() ?? 0) < mostFrets else { return nil }
        let fingers = lists["fingers"].flatMap { $0.count == strings ? $0 : nil } ?? []
        return (chord, .strings(frets, fingers: fingers.map { $0.first.map { "0-xXN".contains($0) } ?? true ? "" : String($0.prefix(1)) }))
    }
}
