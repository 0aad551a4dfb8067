import Testing

@testable import Songs

/// How notes are spelt when they move from key to key.
@Suite(.timeLimit(.minutes(5)))
struct SpellingTests {
    private func key(_ name: String) throws -> Key { try #require(Key(name)) }

    private func moved(_ symbol: String, _ from: String, _ to: String) throws -> String {
        let (from, to, chord) = (try key(from), try key(to), try #require(Chord(symbol)))
        return chord.moved(by: from.interval(to: to), in: to, .english, signs: false).written
    }

    @Test(arguments: [
        ("Bb", "F", "D", "G"), ("C/E", "F", "D", "A/C#"), ("E/G#", "C", "Ab", "C/E"), ("F#dim", "G", "Db", "Cdim"),
        // Chords that other programs move wrongly.
        ("A", "D", "F", "C"), ("D", "D", "F", "F"), ("D/F#", "G", "A", "E/G#"), ("F", "C", "F", "Bb"), ("F", "C", "Gb", "Cb"),
        ("C#m7b5", "D", "Db", "Cm7b5"),
        // From ChordPro's tests. ChordPro writes the second with A#, since its table goes up in sharps.
        ("G/B", "D", "E", "A/C#"), ("G/B", "D", "F", "Bb/D"), ("G", "D", "F#", "B"),
        // From ChordSheetJS's tests: the chords to play with a capo at the third fret.
        ("E", "E", "Db", "Db"), ("E/B", "E", "Db", "Db/Ab"), ("E/C#", "E", "Db", "Db/Bb"), ("E/A", "E", "Db", "Db/Gb"),
        // Notes of the scale keep their letters, as in ChordSheetJS.
        ("F", "C", "Gb", "Cb"), ("C", "F", "Gb", "Db"), ("A/C#", "D", "F#", "C#/E#"), ("D/F#", "G", "C#", "G#/B#"), ("E", "A", "C#", "G#"),
        ("A", "E", "Gb", "Cb"),
        ("D", "A", "Gb", "Cb"), ("Em", "D", "Eb", "Fm"), ("E7/G#", "Am", "C#m", "G#7/B#"), ("E7/G#", "Am", "G#m", "D#7/G"),
        // ChordSheetJS writes E# under C# in any key, to suit the root. Here the bass has the name that players of the key expect.
        ("B/D#", "C", "D", "C#/F"), ("B/D#", "C", "E", "D#/G"), ("Bb/D", "C", "Gb", "E/Ab"),
    ]) func chordsMoveByTheInterval(_ symbol: String, _ from: String, _ to: String, _ expected: String) throws {
        #expect(try moved(symbol, from, to) == expected)
    }

    /// Root and bass move by the same number of letters, as in ChordSheetJS, even if one is written sharp and the other flat.
    @Test(arguments: [("Db/A#", 3, 5, "Gb/D#"), ("A#/Bb", -2, -4, "F#/Gb")])
    func rootAndBassMoveAlike(_ symbol: String, _ letters: Int, _ semitones: Int, _ expected: String) throws {
        let interval = try #require(
            (-12...12).map { Interval(fifths: $0) }.first { $0.letters == letters.modulo(7) && $0.semitones == semitones.modulo(12) })
        let c = try key("C")
        #expect(try #require(Chord(symbol)).moved(by: interval, in: c, .english, signs: false).written == expected)
    }

    @Test(arguments: [("G#", "D#"), ("Ab", "Eb"), ("Ab", "D#"), ("G#", "Eb")]) func keysAreSevenSemitonesApart(_ from: String, _ to: String)
        throws
    {
        func note(_ text: String) throws -> Note { try #require(Chord(text)?.root) }
        #expect((try note(to) - note(from)).semitones == 7)
    }

    @Test(arguments: [
        ("C", 1, "Db"), ("E", 1, "F"), ("F", 1, "Gb"), ("Bb", -4, "Gb"), ("A", -3, "F#"), ("C", 6, "F#"), ("F", -11, "Gb"),
        ("Cm", 6, "F#m"), ("Dm", 1, "Ebm"), ("Bm", 4, "D#m"),
        ("Am", 1, "Bbm"), ("C#", 0, "C#"), ("C#", 12, "C#"), ("Cb", -24, "Cb"), ("C#", 1, "D"), ("G", 100, "B"),
    ]) func aMovedKeyHasTheFewestAccidentals(_ from: String, _ semitones: Int, _ to: String) throws {
        #expect(try key(from).moved(semitones: semitones).description == to)
    }

    @Test(arguments: [
        ("E", 2, "D"), ("Eb", 3, "C"), ("Ab", 1, "G"), ("B", 4, "G"), ("F#m", 2, "Em"), ("G", 0, "G"), ("C#", 0, "C#"), ("G", 1, "F#"),
        ("F", 11, "Gb"), ("Db", 1, "C"),
    ])
    func aCapoTakesItsFretsOff(_ key: String, _ fret: Int, _ shapes: String) throws {
        #expect(try self.key(key).shapes(capo: fret).description == shapes)
    }

    /// Each note of a scale keeps its degree, so moving there and back gives the same spelling.
    @Test func diatonicChordsComeBackAsTheyWere() throws {
        let keys = OutsideOracle.keys.flatMap { [Key($0)!, Key(tonic: Key($0)!.tonic + Interval(fifths: 3), isMinor: true)] }
        for from in keys {
            for to in keys where from.isMinor == to.isMinor {
                let (there, back) = (from.interval(to: to), to.interval(to: from))
                for place in -1...5 {
                    let note = Note(fifths: from.signature + place)
                    let moved = (note + there).respelt(in: to)
                    #expect(moved == note + there && to.holds(moved) && (moved + back).respelt(in: from) == note)
                }
            }
        }
    }

    @Test func twelveSemitonesChangeNothing() throws {
        for name in OutsideOracle.keys {
            #expect(try key(name).moved(semitones: 12) == key(name) && key(name).moved(semitones: -12) == key(name))
        }
    }
}

/// Chords as numbers.
@Suite(.timeLimit(.minutes(5)))
struct NumberTests {
    private func number(_ symbol: String, _ key: String, _ minor: ChordWriting.MinorNumbers) throws -> String {
        ChordNumber(try #require(Chord(symbol)), in: try #require(Key(key)), minor).written
    }

    @Test(arguments: [
        ("C", "C", "1"), ("F", "C", "4"), ("Gm", "C", "5-"), ("Am7", "C", "6-7"), ("D/F#", "C", "2/#4"), ("D/F#", "G", "5/7"),
        ("G7", "C", "57"), ("Cmaj7", "C", "1maj7"),
        ("Bb", "C", "b7"), ("Eb", "C", "b3"), ("F#dim", "G", "7dim"), ("C#dim7", "C", "#1dim7"), ("Db", "C", "b2"), ("G#dim", "C", "#5dim"),
        ("C+", "C", "1+"), ("Bmin", "G", "3-"),
        ("/B", "C", "/7"),
        // ChordSheetJS writes Dsus/F# in A♭ as b5sus/b7. But the author wrote a D, which is not a fifth of A♭.
        ("Dsus/F#", "Ab", "#4sus/b7"),
        // ChordSheetJS has the same numbers: it writes 3#, 7#, 1b and 4b as 4, 1, 7 and 3.
        ("E#", "C", "4"), ("B#", "C", "1"), ("Cb", "C", "7"), ("Fb", "C", "3"),
    ]) func chordsAreNumberedInMajor(_ symbol: String, _ key: String, _ expected: String) throws {
        #expect(try number(symbol, key, .fromMajor) == expected && number(symbol, key, .fromTonic) == expected)
    }

    @Test(arguments: [
        ("Am", "6-", "1-"), ("C", "1", "3"), ("E7/G#", "37/#5", "57/#7"), ("F", "4", "6"), ("Dm", "2-", "4-"), ("G", "5", "7"),
        ("F#dim", "#4dim", "#6dim"), ("Bb", "b7", "b2"),
    ])
    func inMinorOneIsEitherOf(_ symbol: String, _ fromMajor: String, _ fromTonic: String) throws {
        #expect(try number(symbol, "Am", .fromMajor) == fromMajor)
        #expect(try number(symbol, "Am", .fromTonic) == fromTonic)
    }

    /// For every symbol of the oracle, in every key, only the root and the bass become numbers; the ending stays.
    @Test func everyEndingIsKept() throws {
        for (symbol, _, _) in OutsideOracle.chords {
            let chord = try #require(Chord(symbol))
            let one = ChordNumber(chord, in: Key("C")!)
            for name in OutsideOracle.keys {
                let key = try #require(Key(name))
                let moved = Chord(
                    root: chord.root.map { $0 + Key("C")!.interval(to: key) }, quality: chord.quality, extensions: chord.extensions,
                    bass: chord.bass.map { $0 + Key("C")!.interval(to: key) }, written: "")
                #expect(ChordNumber(moved, in: key) == one, "a number is the same in every key")
            }
            #expect(one.extensions == chord.extensions)
        }
    }
}
