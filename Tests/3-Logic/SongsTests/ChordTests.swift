import Testing

@testable import Songs

/// Which texts are read as chords, and which as keys.
@Suite(.timeLimit(.minutes(5)))
struct ChordTests {
    /// Root, quality, extensions and bass, from the tests of ChordPro and ChordSheetJS.
    @Test(
        arguments: [
            ("C", "C", "", "", nil), ("C+", "C", "+", "", nil), ("C4", "C", "", "4", nil), ("C9(11)", "C", "", "9(11)", nil),
            ("Csus", "C", "", "sus", nil), ("Csus9", "C", "", "sus9", nil), ("Cmaj", "C", "", "maj", nil), ("Cmaj7", "C", "", "maj7", nil),
            ("Cmin", "C", "min", "", nil), ("Cm11", "C", "m", "11", nil), ("Cdim", "C", "dim", "", nil), ("C/B", "C", "", "", "B"),
            ("C#7(b5)", "C#", "", "7(b5)", nil), ("C#(add9)", "C#", "", "(add9)", nil), ("D7(#9)", "D", "", "7(#9)", nil),
            ("D5/E", "D", "", "5", "E"),
            ("D9add6", "D", "", "9add6", nil), ("Dm#5", "D", "m", "#5", nil), ("Dm#7", "D", "m", "#7", nil), ("Dm/A", "D", "m", "", "A"),
            ("Esus", "E", "", "sus", nil), ("F#sus/C#", "F#", "", "sus", "C#"), ("Fma9(#11)/C#", "F", "", "ma9(#11)", "C#"),
            ("F#maj9b11/C#", "F#", "", "maj9b11", "C#"), (" \t F#/C# ", "F#", "", "", "C#"), ("F♯m7♭5/C♯", "F#", "m", "7♭5", "C#"),
            ("C6/9", "C", "", "6/9", nil), ("C6/9/G", "C", "", "6/9", "G"), ("Bbb", "Bbb", "", "", nil), ("Bbb5", "Bb", "", "b5", nil),
            ("B𝄫", "Bbb", "", "", nil), ("A-7", "A", "-", "7", nil), ("E°7", "E", "°", "7", nil), ("Eø", "E", "ø", "", nil),
            ("Go7", "G", "o", "7", nil),
            ("CΔ9", "C", "", "Δ9", nil), ("G(no3rd)", "G", "", "(no3rd)", nil), ("D7(b9,b13)", "D", "", "7(b9,b13)", nil),
            ("Am(maj7)", "A", "m", "(maj7)", nil),
            ("G7alt", "G", "", "7alt", nil), ("G2", "G", "", "2", nil),
        ] as [(String, String, String, String, String?)])
    func aSymbolIsTakenApart(_ symbol: String, _ root: String, _ quality: String, _ extensions: String, _ bass: String?) throws {
        let chord = try #require(Chord(symbol))
        #expect(chord.root.map { Naming.english.name(of: $0, signs: false) } == root)
        #expect(chord.quality == quality && chord.extensions == extensions)
        #expect(chord.bass.map { Naming.english.name(of: $0, signs: false) } == bass)
    }

    @Test func aBassMayStandAlone() throws {
        let chord = try #require(Chord("/F#"))
        #expect(chord.root == nil && chord.bass == Note(letter: "F", accidental: 1))
    }

    @Test(arguments: [
        "", " ", "Be", "Amazing", "God", "Go", "Do", "Add", "Add9", "Am I", "Bad", "Come", "Did", "Amen", "And", "x2", "N.C.", "C/",
        "C/E/G", "C//E", "/",
        "H", "Hm", "c", "am", "G/b", "A\u{301}", "C#b", "Csus|", "C(", "C)", "C((((1))))", "G-D", "K", "\u{212A}", "E\u{17F}us", "Go7od",
        "Ab♭♭♭", "omit3",
        String(repeating: "C", count: 100), "C" + String(repeating: "7", count: 100), "C" + String(repeating: "(", count: 30),
    ]) func whatIsNoChordIsNone(_ text: String) { #expect(Chord(text) == nil) }

    @Test(arguments: [
        ("H", "B", "H"), ("Hm7", "B", "Hm7"), ("B", "Bb", "B"), ("Bb", "Bb", "B"), ("D/H", "D", "D/H"), ("Fis", "F#", "F#"),
        ("Es", "Eb", "Eb"),
        ("Asus4", "A", "Asus4"), ("Assus4", "Ab", "Absus4"), ("Cism", "C#", "C#m"), ("Des/As", "Db", "Db/Ab"),
    ]) func germanNamesAreRead(_ symbol: String, _ root: String, _ written: String) throws {
        let chord = try #require(Chord(symbol, naming: .german))
        #expect(chord.root.map { Naming.english.name(of: $0, signs: false) } == root)
        // Moved up and down again, the chord is the same.
        let (up, down) = (Interval(fifths: 2), Interval(fifths: -2))
        let key = try #require(Key("C"))
        let moved = chord.moved(by: up, in: key, .german, signs: false).moved(by: down, in: key, .german, signs: false)
        #expect(moved.written == written)
    }

    @Test(arguments: [
        ("G", "G"), ("F#m", "F#m"), ("Bb", "Bb"), ("B♭", "Bb"), (" Eb ", "Eb"), ("C minor", "Cm"), ("A-Moll", "Am"), ("c-moll", "Cm"),
        ("C-Dur", "C"),
        ("Dmaj", "D"), ("D major", "D"), ("E-", "Em"), ("Abmin", "Abm"), ("C#", "C#"), ("Cb", "Cb"),
    ]) func keysAreRead(_ text: String, _ name: String) { #expect(Key(text)?.description == name) }

    @Test(arguments: ["", "H", "g", "Q", "C7", "G/B", "Abmm", "C minor minor", "key of C", "C\u{301}"])
    func whatIsNoKeyIsNone(_ text: String) { #expect(Key(text) == nil) }

    @Test(arguments: [("H", "B"), ("B", "Bb"), ("fis", "F#m"), ("h-Moll", "Bm"), ("Es-Dur", "Eb")])
    func germanKeysAreRead(_ text: String, _ name: String) { #expect(Key(text, naming: .german)?.description == name) }

    @Test(arguments: [
        "N.C.", "x2", "| G | D/F# | x2", "(G)", "G-D-Em", "G–D", "[G", "G*", "(G7 D)", "“G”", "*softly G", "G  D", "  G", "|: G :|",
        "G / / /", "", "Gfoo",
        "C/E/G", "D!",
    ]) func aTextKeepsEveryLetter(_ text: String) { #expect(ChordText(text).written == text) }

    @Test(arguments: [
        ("| G | D/F# | x2", ["G", "D/F#"]), ("(G)", ["G"]), ("G(add9)*", ["G(add9)"]), ("G-D-Em", ["G", "D", "Em"]), ("G-Dog", []),
        ("*G", []),
        ("(G7 D)", ["G7", "D"]), ("G // D /", ["G", "D"]), ("N.C.", []),
    ]) func chordsAreFoundInATextOfSeveral(_ text: String, _ chords: [String]) { #expect(ChordText(text).chords.map(\.written) == chords) }
}
