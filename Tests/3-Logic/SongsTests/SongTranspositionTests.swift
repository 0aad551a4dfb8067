import Model
import Testing

@testable import Songs

/// Whole songs in another key.
@Suite(.timeLimit(.minutes(5)))
struct SongTranspositionTests {
    private func song(_ text: String, _ key: String? = "C") throws -> Song { try SongReading(service: text, key: key).song }

    private func shown(_ text: String, _ from: String, _ to: String?, capo: Int = 0, as writing: ChordWriting = .letters) throws -> [String]
    {
        try song(text, from).written(in: try to.map { try #require(Key($0)) }, capo: capo, as: writing).shown
    }

    @Test func chordsMoveAndWordsDoNot() throws {
        let text = "VERSE 1 (C)\n[C]Come [G/B]to [N.C.]me [x2]\n{ play [F] softly }\nC     Gfoo\nMore words"
        #expect(
            try shown(text, "C", "Ab") == [
                "verse: VERSE 1 (C)", "[Ab]Come [Eb/G]to [N.C.]me [x2]", "plain play [Db] softly", "C     Gfoo", "More words",
            ])
    }

    @Test func theKeyAndTheCapoAreSaid() throws {
        let shapes = try song("[G]a [D/F#]b", "G").written(in: Key("A"), capo: 2)
        #expect(shapes.shown == ["[G]a [D/F#]b"] && shapes.key == Key("G") && shapes.capo == 2)
        // A song that has a capo sounds higher than it is written.
        let read = try SongReading.chordPro("{key: G}\n{capo: 2}\n[G]a")[0].song
        #expect(try read.written().shown == ["[A]a"] && read.written(capo: 2) == read)
        #expect(try read.written(in: Key("C"), capo: 3).shown == ["[A]a"])
    }

    @Test func whatMovesWithinASongMovesAlong() throws {
        let text = "[C]a [F]b\nTRANSPOSE KEY +2\n[C]c [F]d\nTRANSPOSE KEY +1\n[C]e"
        #expect(try shown(text, "C", nil) == ["[C]a [F]b", "redefine(2)", "[D]c [G]d", "redefine(1)", "[Eb]e"], "shifts add up")
        #expect(try shown(text, "C", "G") == ["[G]a [C]b", "redefine(2)", "[A]c [D]d", "redefine(1)", "[Bb]e"])
        // Writing a moved song again changes nothing, and moving it back gives the first one.
        let once = try song(text).written(in: Key("G"))
        #expect(try once.written() == once && once.written(in: Key("C")) == song(text).written())
    }

    @Test func afterARedefinedKeyTheNewOneIsWritten() throws {
        let text = "[E]a [B/D#]b\nREDEFINE KEY +1\n[F]c [Bb]d [C/E]e"
        #expect(try shown(text, "E", "E") == ["[E]a [B/D#]b", "redefine(1)", "[F]c [Bb]d [C/E]e"])
        #expect(try shown(text, "E", "G") == ["[G]a [D/F#]b", "redefine(1)", "[Ab]c [Db]d [Eb/G]e"])
        #expect(try shown(text, "E", nil, as: .numbers(.fromMajor)) == ["[1]a [5/7]b", "redefine(1)", "[1]c [4]d [5/7]e"])
    }

    /// In ChordPro, an empty `transpose` takes back the last change.
    @Test func changesOfChordProAreTakenBack() throws {
        let text =
            "{key: D}\n[D]a\n{transpose +2}\n[D]b [G]b\n{transpose +2}\n[D]c [G]c\n{transpose}\n[D]d\n{transpose}\n[D]e\n{transpose}\n[D]f\n{key: G}\n[D]g"
        let song = try SongReading.chordPro(text)[0].song
        let lines = ["[D]a", "[E]b [A]b", "[F#]c [B]c", "[E]d", "[D]e", "[D]f", "[D]g"]
        #expect(try song.written().shown.filter { $0.hasPrefix("[") } == lines)
        #expect(try song.written(in: Key("C")).shown.last == "[C]g" && song.written(in: Key("C")).shown.dropLast().last == "key(\"F\")")
    }

    /// The service states F♯, but the author of the chart wrote in G♭.
    @Test func aChartUnderTheOtherNameOfItsKeyMovesRight() throws {
        let text = "[Gb]a [Db/F]b [Ebm]c [Cb]d"
        #expect(try shown(text, "F#", "G") == ["[G]a [D/F#]b [Em]c [C]d"])
        #expect(try shown(text, "F#", nil) == ["[Gb]a [Db/F]b [Ebm]c [Cb]d"])
        let within = "[C]a\nREDEFINE KEY +6\n[Gb]b [Cb]c [Db]d"
        #expect(try shown(within, "C", nil).last == "[Gb]b [Cb]c [Db]d", "nothing moves")
        #expect(try shown(within, "C", "D").last == "[Ab]b [Db]c [Eb]d")
    }

    @Test func germanNamesStayGerman() throws {
        #expect(try shown("[H]a [B]b [E/Gis]c", "E", "F") == ["[C]a [H]b [F/A]c"])
        #expect(try shown("[H]a [A]b", "E", "D") == ["[A]a [G]b"])
        #expect(try shown("[H]a [A]b", "A", "B") == ["[C#]a [H]b"])
        #expect(try shown("[H]a [A]b", "A", "Bb") == ["[C]a [B]b"])
        #expect(try song("[H]a", "A").written(in: Key("B")).chordPro.contains("{key: H}"))
    }

    @Test func signsOfTheChartAreKept() throws {
        #expect(try shown("[B♭]a [F]b", "Bb", "Ab") == ["[A♭]a [E♭]b"])
        #expect(try shown("[Bb]a [F♯m7♭5]b", "Bb", "Ab") == ["[Ab]a [Em7♭5]b"], "what most chords have")
    }

    @Test func barsMoveAndTablatureStays() throws {
        let song = try SongReading.chordPro("{key: G}\n{sog}\n| G . D/F# |\n{eog}\n{sot}\nG|--3--|\n{eot}")[0].song
        #expect(try song.written(in: Key("A")).shown == ["grid: -", "|| A . E/G# |", "tab: -", "|G|--3--|"])
    }

    @Test func withoutAKeyNothingMovesAndASentenceSaysWhy() throws {
        let unset = #expect(throws: Trouble.self) { try song("[G]a", nil).written(in: Key("A")) }
        #expect(unset?.kind == .unknown && unset?.description.contains("does not say which key") == true)
        let odd = Trouble("the song says that it is written in 'Q', which is no key; set one such as G or F#m")
        #expect(throws: odd) { try song("[G]a", "Q").written(in: Key("A")) }
        let fault = Trouble.otherMode(Key("Am")!, Key("C")!)
        #expect(throws: fault) { try song("[Am]a", "Am").written(in: Key("C")) }
        #expect(fault.description == "the song is in Am, and C is major; ask for a minor key")
    }

    @Test func numbersAreWritten() throws {
        let text = "[C]a [F]b [G]c [Am]d [D/F#]e [N.C.]f"
        #expect(try shown(text, "C", "Eb", as: .numbers(.fromMajor)) == ["[1]a [4]b [5]c [6-]d [2/#4]e [N.C.]f"])
    }
}
