/// All forms in which a song's chords may be shown: in any key, with any capo, with letters, German letters or numbers.
///
/// Songs repeat their chords. So each different chord is transposed only once for each stretch between two changes of key.
public struct ChordForms {
    /// All forms of each different chord text, separately for each stretch.
    public private(set) var forms: [Set<String>] = []
    /// The index in `forms` of each text with chords, in the song's order.
    public private(set) var places: [Int] = []

    public init(of song: Song) {
        var lines: [Song.Line] = []
        var known: [ChordText: Int] = [:]
        let signs = song.hasSigns
        for line in song.lines {
            if case .change = line {
                known = [:]
                lines.append(line)
            }
            for text in line.chordTexts {
                if known[text] == nil {
                    known[text] = forms.count
                    forms.append([text.written, text.named(.german, signs: signs).written])
                    lines.append(.verbatim(text))
                }
                places.append(known[text]!)
            }
        }
        let own = song.key ?? song.assumedKey
        let keys = WrittenKeys.keys(of: song, from: own)
        for signature in -7...7 {
            let key = Key(tonic: Note(fifths: signature + (own.isMinor ? 3 : 0)), isMinor: own.isMinor)
            // Numbers differ between keys, too: a note outside of the scale may be written as its neighbour.
            for writing in [ChordWriting.letters, .numbers(.fromMajor), .numbers(.fromTonic)] {
                var pass = TranspositionPass(of: song, written: keys, read: key, writing, signs: signs)
                add(lines.map { pass.transpose($0) }, song.naming, signs)
            }
        }
        // Add the key that the song is written in separately: if nothing moves, chords keep even names that transposing would not
        // produce.
        for writing in [ChordWriting.numbers(.fromMajor), .numbers(.fromTonic)] {
            var pass = TranspositionPass(of: song, written: keys, read: keys[0], writing, signs: signs)
            add(lines.map { pass.transpose($0) }, song.naming, signs)
        }
    }

    private mutating func add(_ lines: [Song.Line], _ naming: Naming, _ signs: Bool) {
        var place = 0
        for case .verbatim(let text) in lines {
            let written = text.written
            forms[place].insert(written)
            // Only B has another name in German.
            if naming == .english, written.utf8.contains(UInt8(ascii: "B")), !text.chords.isEmpty {
                forms[place].insert(text.named(.german, signs: signs).written)
            }
            place += 1
        }
    }
}
