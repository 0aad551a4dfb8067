import Testing

@testable import Songs

/// The results that ChordPro's and ChordSheetJS's own tests expect. Only the facts are copied. A comment explains each difference.
@Suite(.timeLimit(.minutes(5)))
struct OtherProgramsTests {
    private func key(_ name: String) throws -> Key { try #require(Key(name)) }

    private func moved(_ symbol: String, _ from: String, _ to: String) throws -> String {
        let (from, to, chord) = (try key(from), try key(to), try #require(Chord(symbol)))
        return chord.moved(by: from.interval(to: to), in: to, .english, signs: false).written
    }

    /// ChordSheetJS names the note of each degree in sixteen keys. Here the degree's note in C is moved to the key. G# is left out,
    /// since it is not a key here.
    @Test(arguments: [
        // ChordSheetJS has Cb and Fb in place of B and E. The notes are outside the scale, and players are used to B and E.
        ("Ab", "Ab A Bb B C Db D Eb E F - G"), ("Db", "Db D Eb E F Gb G Ab A Bb B C"), ("Gb", "Gb G Ab A Bb Cb C Db D Eb E F"),
        ("Cb", "Cb C Db D Eb Fb F Gb G Ab A Bb"),
        // ChordSheetJS has F and C in place of E# and B#, which are in the scale. Newer versions of ChordSheetJS also write E# and B#.
        ("C#", "C# D D# E E# F# G G# A A# B B#"), ("F#", "F# G G# A A# B C C# D D# E E#"),
        // ChordSheetJS has Eb in place of D#, although only D# is in the scale.
        ("E", "E F F# G G# A Bb B C C# D D#"),
        ("Bb", "Bb B C Db D Eb E F Gb G Ab A"), ("B", "B C C# D D# E F F# G G# A A#"), ("C", "C Db D Eb E F Gb G Ab A Bb B"),
        ("D", "D Eb E F F# G Ab A Bb B C C#"), ("Eb", "Eb E F Gb G Ab A Bb B C Db D"), ("F", "F Gb G Ab A Bb B C Db D Eb E"),
        ("G", "G Ab A Bb B C Db D Eb E F F#"), ("A", "A - B C C# D - E - - - G#"),
    ]) func degreesOfMajorKeysHaveTheirNames(_ name: String, _ names: String) throws {
        let degrees = "C Db D Eb E F Gb G Ab A Bb B".split(separator: " ").map(String.init)
        for (degree, expected) in zip(degrees, names.split(separator: " ")) where expected != "-" {
            #expect(try moved(degree, "C", name) == expected, "\(degree) in \(name)")
        }
    }

    /// ChordSheetJS's minor chords in twelve minor keys. ChordSheetJS writes most notes outside the scale as flats. Here a raised third,
    /// sixth or seventh is sharp, since it leads upwards, unless the sharp would be a double accidental.
    @Test(arguments: [
        ("Am", "A Bb B C C# D Eb E F F# G G#"), ("Bbm", "Bb B C Db D Eb E F Gb G Ab A"), ("Bm", "B C C# D D# E F F# G G# A A#"),
        ("Cm", "C Db D Eb E F Gb G Ab A Bb B"), ("C#m", "C# D D# E F F# G G# A A# B B#"), ("Dm", "D Eb E F F# G Ab A Bb B C C#"),
        ("Ebm", "Eb E F Gb G Ab A Bb Cb C Db D"), ("Em", "E F F# G G# A Bb B C C# D D#"), ("Fm", "F Gb G Ab A Bb B C Db D Eb E"),
        ("F#m", "F# G G# A A# B C C# D D# E E#"), ("Gm", "G Ab A Bb B C Db D Eb E F F#"), ("G#m", "G# A A# B C C# D D# E E# F# G"),
    ]) func degreesOfMinorKeysHaveTheirNames(_ name: String, _ names: String) throws {
        let degrees = "A Bb B C C# D Eb E F F# G G#".split(separator: " ").map(String.init)
        for (degree, expected) in zip(degrees, names.split(separator: " ")) {
            #expect(try moved(degree + "m", "Am", name) == expected + "m", "\(degree) in \(name)")
        }
    }

    /// ChordSheetJS's chords, moved a semitone up and down. Here they move from key to key, since a step alone does not name the new notes.
    @Test(arguments: [
        ("A#/G#", "A", "Bb", "B/A"), ("E/B", "E", "F", "F/C"), ("Db/Eb", "Db", "D", "D/E"), ("Cb/Fb", "Cb", "C", "C/F"),
        ("E#/B#", "C#", "D", "F#/C#"), ("E#/B#", "F#", "G", "F#/C#"), ("A/G", "E", "Eb", "Ab/Gb"), ("F/C", "F", "E", "E/B"),
        ("Db/Eb", "Db", "C", "C/D"), ("B#/E#", "C#", "C", "B/E"), ("A#/G#", "B", "Bb", "A/G"),
        // ChordSheetJS also has Eb/Bb. The reason here is that a B♭ keeps its name in a key that has a B♭.
        ("Fb/Cb", "Cb", "Bb", "Eb/Bb"), ("Em/A#", "C", "D", "F#m/C"),
        // ChordSheetJS moves every A/G up to A#/G#, whatever the key. Here flat keys have flats.
        ("A/G", "C", "Db", "Bb/Ab"), ("A/G", "E", "F", "Bb/Ab"), ("A/G", "Bb", "B", "A#/G#"),
    ]) func aSemitoneUpOrDown(_ symbol: String, _ from: String, _ to: String, _ expected: String) throws {
        #expect(try moved(symbol, from, to) == expected)
    }

    /// Notes of the scale keep its letters, as in ChordSheetJS. Fb in Gb or Eb minor comes from a note outside the scale: here it is E.
    @Test(arguments: [
        ("F", "C", "Gb", "Cb"), ("Bb", "C", "Gb", "E"), ("F", "Am", "Ebm", "Cb"), ("E", "C", "C#", "E#"), ("B", "C", "F#", "E#"),
        ("B", "Am", "D#m", "E#"), ("Bb", "Am", "Ebm", "E"),
        // Here the key also decides the name of the bass. In ChordSheetJS, the root decides: Gb/Cb in C, C#/E# in D.
        ("F#/E#", "D", "E", "G#/G"),
    ]) func notesOfTheScaleKeepTheirLetters(_ symbol: String, _ from: String, _ to: String, _ expected: String) throws {
        #expect(try moved(symbol, from, to) == expected)
    }

    /// ChordSheetJS turns Esus4 into Esus and F#add13 into F#(13). Here words and endings stay as the author wrote them.
    @Test(arguments: ["E", "Esus4", "F#add13", "E13(+9+5)/B", "E13(add2)", "B#/Cb", "Em/A#", "D/F#"])
    func whatDoesNotMoveIsLeftAlone(_ symbol: String) throws {
        let text = "{key: E}\n[\(symbol)]a"
        #expect(try SongReading.chordPro(text)[0].song.written().shown == ["[\(symbol)]a"])
    }

    @Test(arguments: ["oobar", "EMajj"]) func whatIsNoChordIsNone(_ text: String) { #expect(Chord(text) == nil) }

    /// ChordSheetJS's notes and chords as numbers in a key. The letter of the note decides the degree: in C#, D is ♭2 and not #1; in E♭, E
    /// is #1 and not ♭2.
    @Test(arguments: [
        ("C", "C", "1"), ("C#", "C", "#1"), ("D", "C", "2"), ("D#", "C", "#2"), ("B", "C", "7"), ("D#", "C#", "2"), ("E", "C#", "b3"),
        ("D", "C#", "b2"), ("G", "C#", "b5"), ("F", "Eb", "2"), ("Gb", "Eb", "b3"), ("E", "Eb", "#1"), ("F#", "B", "5"),
        ("A#", "B", "7"),
        // ChordSheetJS only reads these numbers. This test writes them.
        ("F", "C", "4"), ("Fsus", "C", "4sus"), ("F#", "C", "#4"), ("F#sus/C#", "C", "#4sus/#1"), ("Fma9(#11)", "C", "4ma9(#11)"),
        ("F#maj9b11/C#", "C", "#4maj9b11/#1"), ("F/C", "C", "4/1"), ("E(7)/G#", "C", "3(7)/#5"), ("F7/A", "Db", "37/#5"),
        ("G#dim", "A", "7dim"), ("A#sus", "A", "#1sus"), ("A/C#", "A", "1/3"), ("E/G#", "A", "5/7"),
    ]) func chordsHaveNumbers(_ symbol: String, _ key: String, _ expected: String) throws {
        #expect(ChordNumber(try #require(Chord(symbol)), in: try self.key(key)).written == expected)
    }

    /// ChordPro reads seventeen numbers, each with three kinds and four endings. Here all are written in the form that ChordPro reads, with
    /// three exceptions: #6 is b7, as players call it; the author's own sign stays where ChordPro has the sign 0; and h is only used with a
    /// digit, since Ah and Eh are words.
    @Test func numbersAreAsChordProReadsThem() throws {
        let roots = "C C# Db D D# Eb E F F# Gb G G# Ab A A# Bb B".split(separator: " ")
        let numbers = "1 #1 b2 2 #2 b3 3 4 #4 b5 5 #5 b6 6 b7 b7 7".split(separator: " ")
        for (root, number) in zip(roots, numbers) {
            for (kind, sign) in [("", ""), ("m", "-"), ("-", "-"), ("+", "+"), ("h7", "h7"), ("°", "°")] {
                for ending in kind == "h7" ? [""] : ["", "7", "^", "^7"] {
                    let chord = try #require(Chord("\(root)\(kind)\(ending)"), "\(root)\(kind)\(ending)")
                    #expect(ChordNumber(chord, in: Key("C")!).written == "\(number)\(sign)\(ending)")
                }
            }
        }
    }

    /// ChordPro's song in D, moved as a whole. In F, ChordPro has A#/D in place of Bb/D, although the key has a B♭.
    @Test(arguments: [
        (0, "[D] [G/B] [Gm7]"), (2, "[E] [A/C#] [Am7]"), (3, "[F] [Bb/D] [Bbm7]"), (-4, "[Bb] [Eb/G] [Ebm7]"), (-10, "[E] [A/C#] [Am7]"),
    ]) func aSongMovesAsAWhole(_ steps: Int, _ expected: String) throws {
        let song = try SongReading.chordPro("{key: D}\n[D] [G/B] [Gm7]")[0].song
        #expect(try song.written(in: key("D").moved(semitones: steps)).shown == [expected])
    }

    /// ChordPro's song moves ten semitones down, then twice two up, and then back. ChordPro keeps writing flats (Gb with a B, and Ab),
    /// since the first step was down. Here the key two semitones above any E is F#.
    @Test func changesWithinASongAddUpAndAreTakenBack() throws {
        let text = "{key: D}\n[D] [G]\n{transpose +2}\n[D] [G]\n{transpose +2}\n[D] [G]\n{transpose}\n[D] [G]\n{transpose}\n[D] [G]"
        let song = try SongReading.chordPro(text)[0].song
        func chords(_ key: String) throws -> [String] { try song.written(in: self.key(key)).shown.filter { $0.hasPrefix("[") } }
        #expect(try chords("D") == ["[D] [G]", "[E] [A]", "[F#] [B]", "[E] [A]", "[D] [G]"])
        #expect(try chords("E") == ["[E] [A]", "[F#] [B]", "[Ab] [Db]", "[F#] [B]", "[E] [A]"])
    }

    /// ChordPro's table for a D, with or without a capo at the second fret. The chord is moved within the song, with the whole song,
    /// or both. The capo is kept or included in the chords.
    @Test(
        arguments: [
            (0, 0, 0, "D"), (0, 2, 2, "D"), (0, 2, 0, "E"), (2, 0, 0, "E"), (2, 2, 2, "E"), (2, 2, 0, "F#"),
        ], [(0, "D E F#"), (2, "E F# Ab")]) func capoAndChangesAddUp(_ case: (Int, Int, Int, String), _ whole: (Int, String)) throws
    {
        let (within, capo, kept, expected) = `case`
        let text =
            "{title: T}\n{key: D}\n" + (within == 0 ? "" : "{transpose \(within)}\n") + (capo == 0 ? "" : "{capo \(capo)}\n") + "{c: [D]}"
        let song = try SongReading.chordPro(text)[0].song
        #expect(song.capo == capo)
        let sounding = try key("D").moved(semitones: capo + whole.0)
        // Moving the whole song raises the chord by the same interval. ChordPro's G# is A♭ here, since that key has fewer accidentals.
        let names = ["D", "E", "F#", "Ab"]
        let name = names[names.firstIndex(of: expected)! + whole.0 / 2]
        #expect(try song.written(in: sounding, capo: kept).shown.last == "plain [\(name)]")
    }

    /// Details of the whole song may come after lines without a visible effect.
    @Test(arguments: ["{transpose: +5}", "{columns: 2}", "{textsize: 12}", "{define: G base-fret 1}", "# by hand"])
    func detailsMayStandBehindWhatIsNotSeen(_ line: String) throws {
        let song = try SongReading.chordPro("\(line)\n{title: Transpositions}\n{key: D}\n{capo: 2}\n[D]a")[0].song
        #expect(song.title == "Transpositions" && song.key == Key("D") && song.capo == 2)
        #expect(try SongReading.chordPro(song.chordPro).map(\.song) == [song])
    }

    /// ChordPro's suffixes select sharps or flats. Here the key decides, and the suffix is reported as a remark.
    @Test(arguments: [
        ("1", 1, false), ("-4", -4, false), ("0k", 0, false), ("1f", 1, true), ("2s", 2, true), ("1b", 1, true), ("1#", 1, true),
        ("1♯", 1, true), ("-1♭", -1, true),
    ]) func changesMaySayWhichSigns(_ text: String, _ steps: Int, _ asks: Bool) throws {
        let reading = try SongReading.chordPro("{transpose: \(text)}")[0]
        #expect(reading.song.shown == ["transpose(Optional(\(steps)))"])
        #expect(reading.remarks.map(\.reason) == (asks ? [.spelling] : []))
    }

    /// ChordSheetJS's cases with H. Its table turns D/H into D#/C, and leaves B as B. Here the names in a song are all English or
    /// all German.
    @Test(arguments: [
        ("H", "E", "F", "C"), ("H", "E", "Eb", "B"), ("Hm", "D", "Eb", "Cm"), ("D/H", "D", "Eb", "Eb/C"), ("A", "D", "E", "H"),
        ("Hsus4", "E", "E", "Hsus4"), ("H7", "E", "E", "H7"), ("H/D", "E", "E", "H/D"),
    ]) func germanNamesMove(_ symbol: String, _ from: String, _ to: String, _ expected: String) throws {
        let (from, to, chord) = (try key(from), try key(to), try #require(Chord(symbol, naming: .german)))
        #expect(chord.moved(by: from.interval(to: to), in: to, .german, signs: false).written == expected)
    }
}
