import Model
import Testing

@testable import Songs

/// The service's text, with the habits of people who write it.
@Suite(.timeLimit(.minutes(5)))
struct ServiceTextTests {
    private func shown(_ text: String) throws -> [String] { try SongReading(service: text).song.shown }

    @Test func aChartIsRead() throws {
        let text = """
            INTRO
            | G | D/F# | x2

            VERSE 1
            [G]Amazing [D]grace
            { softly }
            {{ no drums }}
            COLUMN_BREAK
              Page_Break
            {{ PAGE_BREAK }}
            Chorus 2:
            My <b>chains</b> are <em>gone</em>
            TRANSPOSE KEY +2
            redefine  key - 3
            """
        let reading = try SongReading(service: text, title: "Amazing\nGrace", key: "G")
        #expect(
            reading.song.shown == [
                "intro: INTRO", "[|] [G] [|] [D/F#] [|] [x2]", "", "verse: VERSE 1", "[G]Amazing [D]grace", "plain softly",
                "chartsOnly no drums", "column", "page",
                "page on charts", "chorus: Chorus 2:", "My <b>chains</b> are <i>gone</i>", "transpose(Optional(2))", "redefine(-3)",
            ])
        #expect(reading.remarks == [] && reading.song.title == "Amazing Grace" && reading.song.key == Key("G"))
    }

    @Test(arguments: [
        ("D          Bm       G\nBe thou my vision O Lord", "[D]Be thou my [Bm]vision O [G]Lord"), ("G       D\nAmen", "[G]Amen[D]"),
        ("G\tC\nOh my\tGod", "[G]Oh my\t[C]God"), ("  G\nIndented", "In[G]dented"),
        ("| G  | C |\nBars over words", "[|]Ba[G]rs [|]ov[C]er[|] words"),
        ("G   C\n🙏🙏 Praise", "[G]🙏🙏 P[C]raise"), ("  G\nn\u{303}a\u{303}o", "n\u{303}a\u{303}[G]o"),
        ("G\u{A0}\u{A0}D\nab cd", "[G]ab [D]cd"),
        ("N.C.  G\nAlone we sing", "[N.C.]Alone [G]we sing"), ("G D (softly now)\nab cd", "[G]ab[D] c[(softly]d[now)]"),
        ("(G)  D\nAmen I say", "[(G)]Amen [D]I say"),
        ("G   D\n<b>Lo</b>ud", "<b>[G]L[D]o</b>ud"), ("G\n\nAmen", "[G]\n\nAmen"), ("G\nD\nAmen", "[G]\n[D]Amen"),
        ("G\n[D]Amen", "[G]\n[D]Amen"),
        ("G   D\r\nAmen\r\n", "[G]Amen[D]"), ("G   D\u{2028}Holy, holy", "[G]Holy[D], holy"), ("Em\nA", "[Em]\n[A]"),
        ("G D Em C <t>\nab", "[G]ab[D][Em][C]"),
    ]) func chordsAboveTheWordsStandOverThem(_ text: String, _ expected: String) throws {
        #expect(try shown(text).joined(separator: "\n") == expected)
    }

    @Test(arguments: [
        "Be thou my vision", "A mighty fortress", "Am I alone", "A", "Add", "Go", "God", "x2", "G [D]", "Hm", "H H H", "- - -",
        "HALLELUJAH", "HOLY, HOLY, HOLY",
        "BRIDGE OVER TROUBLED WATER", "TAG ALONG WITH ME", "VERSES", "CHORUS OF ANGELS", "Verse of my life", "Choruses", "chorus", "end",
        "Rap", "SOLO MIO",
        "VERSE [G]1", "\u{17F}OLO", "column break", "COLUMN_BREAK now", "{{", "{a", "a}", "{ a } b", "transpose", "\u{212A}EY",
        "REDEFINE \u{212A}EY 2",
    ]) func whatOnlyResemblesACodeStaysWords(_ text: String) throws {
        // An A on its own is the exception: anybody would read it as a chord.
        let expected = ["A": "[A]", "G [D]": "G [D]", "VERSE [G]1": "VERSE [G]1"][text] ?? text
        #expect(try shown(text) == [expected])
    }

    @Test(arguments: [
        ("VERSE 1", "verse"), ("VERSE1", "verse"), ("  CHORUS  ", "chorus"), ("PRE-CHORUS", "pre_chorus"), ("PRE CHORUS 2", "pre_chorus"),
        ("PRECHORUS", "pre_chorus"),
        ("Pre-Chorus", "pre_chorus"), ("POST-CHORUS (x2)", "post_chorus"), ("Chorus", "chorus"), ("Verse 2b:", "verse"),
        ("VERSE IV", "verse"), ("TAG (x2)", "tag"),
        ("CHORUS 2x", "chorus"), ("CHORUS X 4", "chorus"), ("FINAL CHORUS", "chorus"), ("VERSE 1: SOFTLY", "verse"),
        ("VERSE 1 - ALL VOICES", "verse"), ("CHORUS/TAG", "chorus"),
        ("BRIDGE (BUILD)", "bridge"), ("STROPHE 3", "verse"), ("REFRAIN:", "chorus"), ("[Chorus]", "chorus"), ("<b>VERSE 1</b>", "verse"),
        ("INSTRUMENTAL", "instrumental"),
    ]) func headingsAreKnown(_ text: String, _ kind: String) throws {
        let song = try SongReading(service: text).song
        #expect(song.sections.map { $0.heading?.kind } == [kind])
    }

    /// A text that is not understood is kept, and reported once.
    @Test func whatIsNotUnderstoodIsNamedOnce() throws {
        let text = "[Gfoo]a [Gfoo]b\nTRANSPOSE +2\ntranspose key\nTRANSPOSE KEY 1000\n[N.C.]x [x2]y [Gfoo D]"
        let reading = try SongReading(service: text)
        let shown = text.split(separator: "\n").map { $0.contains("[") ? "\($0)" : "italic \($0)" }
        #expect(reading.song.shown == shown, "nobody sings what is said of the key")
        #expect(reading.remarks.map(\.text) == ["Gfoo", "TRANSPOSE +2", "transpose key", "TRANSPOSE KEY 1000", "Gfoo D"])
        #expect(
            reading.remarks.map(\.reason).prefix(4) == [.noChord, .noKeyWord, .noNumber, .noNumber]
                && reading.remarks.map(\.line) == [1, 2, 3, 4, 5])
        #expect(
            reading.remarks[1].description == "Line 2: 'TRANSPOSE +2' has no effect; to change the key, write KEY after the first word.")
    }

    @Test(arguments: [
        ("page_break", "page"), ("{a}}", "plain a}"), ("{}", "plain "), ("{{}}", "chartsOnly "), ("{ {x} }", "plain {x}"),
        ("{{ a }", "plain { a"), ("{{{a}}}", "chartsOnly {a}"),
        ("[[E]]", "[[E]]"), ("[E", "[E"), ("E]", "E]"), ("[]", ""), ("[ ]x", "x"), ("[[[[", "[[[["), ("<b>", ""), ("</i>x", "x"),
        ("<b><b>x</b>y", "<b>x</b>y"), ("<x>", "<x>"),
        ("<b", "<b"), ("a<", "a<"), ("\u{FEFF}VERSE", "verse: VERSE"), ("{note [G] here}", "plain note [G] here"),
        ("{{column_break}}", "column on charts"),
        ("<STRONG>a</Strong>", "<b>a</b>"), ("<b>a<i>b</b>c</i>", "<b>a<i>b</b>c</i>"), ("TRANSPOSE KEY 2", "transpose(Optional(2))"),
        ("{title: x}", "plain title: x"),
    ]) func oddLinesAreRead(_ text: String, _ expected: String) throws { #expect(try shown(text) == [expected]) }

    @Test func aStyleGoesOnUntilItsEndOrTheNextHeading() throws {
        #expect(try shown("<b>a\nb</b>c\n<i>d\nVERSE\ne") == ["<b>a</b>", "<b>b</b>c", "<i>d</i>", "verse: VERSE", "e"])
    }

    @Test func anHMakesTheNamesGerman() throws {
        #expect(try SongReading(service: "[H]Wir [B]singen").song.naming == .german)
        #expect(try SongReading(service: "G   H7\nWir singen").song.naming == .german)
        for text in ["[B]We sing", "Hm", "Hm Hm", "H\nWir", "Holy [G]is"] {
            #expect(try SongReading(service: text).song.naming == .english)
        }
        #expect(try SongReading(service: "[H]a", key: "B").song.key == Key("B"), "the service's own field is not German")
    }

    @Test func tooMuchIsRefusedWithASentence() throws {
        var limits = SongLimits()
        (limits.bytes, limits.lines, limits.chords) = (100, 5, 6)
        #expect(throws: Trouble("the song's text has 101 bytes, and at most 100 are read; is it a song?")) {
            try SongReading(service: String(repeating: "a", count: 101), limits: limits)
        }
        #expect(throws: Trouble("the song's text has 6 lines, and at most 5 are read; make several songs of it")) {
            try SongReading(service: "1\n2\n3\n4\n5\n6", limits: limits)
        }
        let chords = Trouble("the song has more than the 6 chords that are read; make several songs of it")
        #expect(throws: chords) { try SongReading(service: "[A][A][A]\n[A][A][A][A]", limits: limits) }
        #expect(throws: chords) { try SongReading.chordPro("[A][A][A]\n[A][A][A][A]", limits: limits) }
        #expect(try SongReading(service: "1\n2\n3\n4\n5\n", limits: limits).song.sections[0].lines.count == 5)
    }
}
