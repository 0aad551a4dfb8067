/// A key that a song without a stated key seems to be written in. It is offered to the musician, and used only after a yes.
public struct LikelyKey: Hashable, Sendable {
    public let key: Key
    /// Why, in words: `its chords look like G: it begins and ends with G, and 24 of 25 chords fit`.
    public let reason: String
}

extension Song {
    /// The key that most chords fit, and that the song begins or ends in; `nil` if no key stands out. The first chord counts as much as the
    /// last: a song that ends on its way back to the beginning, or fades out, does not end in its key.
    public var likelyKey: LikelyKey? {
        let chords = firstChords
        guard chords.count > 2, Set(chords.map(\.root)).count > 1, let first = chords.first, let last = chords.last else { return nil }
        var best: (key: Key, fitting: Int, score: Double)?
        for signature in -5...6 {
            for isMinor in [false, true] {
                let key = Key(tonic: Note(fifths: signature + (isMinor ? 3 : 0)), isMinor: isMinor)
                let fitting = key.fitting(chords)
                let score =
                    Double(fitting) / Double(chords.count) + (key.isTonic(last) ? 0.3 : 0) + (key.isTonic(first) ? 0.3 : 0)
                    + 0.3 * Double(chords.count { key.isTonic($0) }) / Double(chords.count)
                if score > best?.score ?? 0 { best = (key, fitting, score) }
            }
        }
        guard let best, best.fitting * 10 >= chords.count * 7, best.key.isTonic(first) || best.key.isTonic(last) else { return nil }
        let key = WrittenKeys.spelt(best.key, chords.flatMap(\.notes))
        let name = key.name(in: naming)
        let (begins, ends) = (key.isTonic(first), key.isTonic(last))
        let place = begins && ends ? "begins and ends" : begins ? "begins" : "ends"
        let sound = capo == 0 ? "" : "; behind the capo, it sounds in \(key.moved(semitones: capo).name(in: naming))"
        return LikelyKey(
            key: key,
            reason: "its chords look like \(name): it \(place) with \(name), and \(best.fitting) of \(chords.count) chords fit\(sound)")
    }

    /// The key of the chords, if the stated key is the one that sounds behind the capo. By ChordPro's rules it should be the key of the
    /// shapes; but where the chords contradict that, and fit the key minus the capo, the writer meant the other one.
    var keyBehindCapo: Key? {
        guard capo != 0, let key, let likely = contradictingKey?.key, likely.isMinor == key.isMinor else { return nil }
        let shapes = key.shapes(capo: capo)
        return likely.tonic.pitch == shapes.tonic.pitch ? shapes : nil
    }

    /// A likely key, if the chords contradict the stated one: less than half of them fit it.
    public var contradictingKey: LikelyKey? {
        guard let key else { return nil }
        // Most stated keys are right, and then no other needs to be looked for.
        let chords = firstChords
        guard chords.count(where: { key.fits($0) }) * 2 < chords.count, let likely = likelyKey else { return nil }
        return likely.key.tonic.pitch != key.tonic.pitch ? likely : nil
    }

    /// The key by which chords are spelt that move without a stated key, as with a capo.
    var assumedKey: Key { likelyKey?.key ?? Key(tonic: Note(fifths: 0)) }

    /// The chords before the first change of key.
    private var firstChords: [Chord] {
        lines.prefix { if case .change = $0 { false } else { true } }.flatMap { $0.chordTexts.flatMap(\.chords) }.filter { $0.root != nil }
    }
}

extension Key {
    /// How far a chord's root is to the right of the tonic of the major key with the same scale, in fifths: from -1 for its fourth
    /// degree to 5 for its seventh; larger if the root is not in the scale.
    private func place(_ chord: Chord) -> Int { ((chord.root?.fifths ?? 0) - signature + 1).modulo(12) - 1 }

    private func isSmall(_ chord: Chord) -> Bool {
        switch chord.quality {
        case "dim", "°", "º", "ø", "Ø": true
        default: chord.isMinor
        }
    }

    /// Whether the chord is one of the scale's own, or the major chord on the fifth degree of a minor key.
    fileprivate func fits(_ chord: Chord) -> Bool {
        let isSmall = isSmall(chord)
        switch place(chord) {
        case -1...1: return !isSmall
        case 2, 3: return isSmall
        case 4: return isSmall || isMinor
        case 5: return isSmall
        default: return false
        }
    }

    /// How many chords fit. One that leads on to the next by a fifth does, too, as the A7 in C A7 D7 G7 C.
    fileprivate func fitting(_ chords: [Chord]) -> Int {
        chords.indices.count { index in
            if fits(chords[index]) { return true }
            guard index + 1 < chords.count, place(chords[index]) > 1, !isSmall(chords[index]) else { return false }
            return place(chords[index]) == place(chords[index + 1]) + 1
        }
    }

    fileprivate func isTonic(_ chord: Chord) -> Bool { place(chord) == (isMinor ? 3 : 0) && chord.isMinor == isMinor }
}
