public import Model

extension Trouble {
    /// The error that a song in `key` cannot be written in the `wanted` key, because one is major and the other minor.
    public static func otherMode(_ key: Key, _ wanted: Key) -> Trouble {
        Trouble(
            "the song is in \(key), and \(wanted) is \(wanted.isMinor ? "minor" : "major"); ask for a \(key.isMinor ? "minor" : "major") key"
        )
    }
}

extension Song {
    /// The song as written for a player with a capo at this fret, so that it sounds in `key`; if this is `nil`, in the song's own
    /// key. Throws if the song's key is of the other mode, or if it is unknown and not just the capo changes.
    ///
    /// All chords move by the interval from the key that they are written in to the key that they are read in. Changes of key
    /// within the song are then written as they sound, so reading the result does not move the chords again.
    public func written(in key: Key? = nil, capo: Int = 0, as writing: ChordWriting = .letters) throws(Trouble) -> Song {
        let own = try ownKey(isNeeded: key != nil || writing != .letters)
        let sounding = key ?? own.moved(semitones: self.capo)
        guard sounding.isMinor == own.isMinor else { throw .otherMode(own, sounding) }
        let keys = WrittenKeys.keys(of: self, from: own)
        // If nothing moves, the key and the chords keep their names, even odd ones.
        let read = key == nil && capo.modulo(12) == self.capo ? keys[0] : sounding.shapes(capo: capo)
        guard !isInSolfege || read.tonic.pitch == keys[0].tonic.pitch && writing == .letters else {
            throw Trouble("its chords are written as Do, Re, Mi, and are not moved; write them as C, D, E")
        }
        var pass = TranspositionPass(of: self, written: keys, read: read, writing, signs: hasSigns)
        var song = self
        for part in song.sections.indices {
            song.sections[part].lines = song.sections[part].lines.map { pass.transpose($0) }
        }
        song.details = song.details.compactMap {
            switch $0.name {
            case "key": Detail("key", read.name(in: naming))
            case "capo": nil
            default: $0
            }
        }
        if capo.modulo(12) != 0 { song.details.append(Detail("capo", String(capo.modulo(12)))) }
        return song
    }
}

extension Song {
    /// The key that the chords are written in. If the text names none and none is needed, a likely one, which decides only how moved
    /// chords are spelt.
    private func ownKey(isNeeded: Bool) throws(Trouble) -> Key {
        if let key { return key }
        guard let text = detail("key") else {
            guard isNeeded else { return assumedKey }
            let likely = likelyKey.map { "\($0.reason); say so, and it is in every key" }
            let advice = likely ?? "set its key, and it is in every other one, too"
            throw Trouble(.unknown, "the song does not say which key it is written in: \(advice)")
        }
        throw Trouble("the song says that it is written in '\(text)', which is no key; set one such as G or F#m")
    }
}

/// Transposes a song line by line, and follows its changes of key.
struct TranspositionPass {
    /// The keys of the coming stretches, each under the name that fits its chords.
    private var stretches: ArraySlice<Key>
    private var written: Key
    private var read: Key
    /// The keys to which `transpose` without a number returns, the last one first.
    private var before: [Key] = []
    private let naming: Naming
    private let writing: ChordWriting
    private let signs: Bool

    init(of song: Song, written: [Key], read: Key, _ writing: ChordWriting, signs: Bool) {
        (self.written, stretches) = (written[0], written.dropFirst())
        (self.read, self.writing, self.signs, naming) = (read, writing, signs, song.naming)
    }

    mutating func transpose(_ line: Song.Line) -> Song.Line {
        guard case .change(let change) = line else { return line.replacingChords(replaced) }
        let (former, isAsWritten) = (read, read == written)
        switch change {
        case .transpose(let amount?):
            before.append(read)
            read = read.moved(semitones: amount)
        case .transpose(nil):
            read = before.popLast() ?? read
        case .redefine(let amount):
            written = stretches.popFirst() ?? written
            read = read.moved(semitones: amount)
        case .key:
            let next = stretches.popFirst() ?? written
            read = read.moved(semitones: next.tonic.pitch - written.tonic.pitch)
            if next.isMinor != read.isMinor { read = Key(tonic: read.tonic, isMinor: next.isMinor).named }
            written = next
        }
        // If nothing had moved before a change of key, nothing is moved after it, whatever the key's name.
        if isAsWritten, read.tonic.pitch == written.tonic.pitch { read = written }
        if case .key = change { return .change(.key(read.name(in: naming))) }
        return .change(.redefine(read.steps(from: former, like: change)))
    }

    private func replaced(_ text: ChordText) -> ChordText {
        let interval = written.interval(to: read)
        let pieces = text.pieces.map { piece -> ChordText.Piece in
            guard case .chord(let chord) = piece else { return piece }
            let moved = interval.fifths == 0 ? chord : chord.moved(by: interval, in: read, naming, signs: signs)
            return writing.piece(moved, in: read, naming, signs: signs)
        }
        return ChordText(joining: pieces)
    }
}

extension Key {
    /// The key under its name with the fewest accidentals.
    fileprivate var named: Key { moved(semitones: 1).moved(semitones: -1) }

    /// The number of semitones from another key: the number in the change or, if it has none, the shorter way, from -6 to 5.
    fileprivate func steps(from key: Key, like change: Song.KeyChange) -> Int {
        switch change {
        case .transpose(let amount?), .redefine(let amount): amount
        default: (tonic.pitch - key.tonic.pitch + 6).modulo(12) - 6
        }
    }
}

/// The keys that a song's chords are written in, one for each stretch.
enum WrittenKeys {
    static func keys(of song: Song, from key: Key) -> [Key] {
        var keys = [key]
        var notes: [[Note]] = [[]]
        for line in song.lines {
            if case .change(let change) = line, let next = next(keys[keys.count - 1], change, song.naming) {
                keys.append(next)
                notes.append([])
            }
            for text in line.chordTexts { notes[notes.count - 1] += text.chords.flatMap(\.notes) }
        }
        return zip(keys, notes).map(spelt)
    }

    /// The key in which the chords after a change are written; `nil` if the change does not affect how they are written.
    private static func next(_ key: Key, _ change: Song.KeyChange, _ naming: Naming) -> Key? {
        switch change {
        case .transpose: nil
        case .redefine(let amount): key.moved(semitones: amount)
        // A key that cannot be read changes nothing.
        case .key(let text): Key(text, naming: naming) ?? key
        }
    }

    /// A chart in F♯ may have its chords in G♭, so use the name whose scale holds more of the chords' notes.
    static func spelt(_ key: Key, _ notes: [Note]) -> Key {
        guard let twin = key.twin else { return key }
        let sum = notes.reduce(0) { $0 + (key.holds($1) ? 1 : 0) - (twin.holds($1) ? 1 : 0) }
        return sum < 0 ? twin : key
    }
}
