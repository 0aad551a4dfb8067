import TestSupport
import Testing

@testable import Songs

/// Reading and writing ChordPro.
@Suite(.timeLimit(.minutes(5)))
struct ChordProTests {
    private func read(_ text: String) throws -> SongReading { try #require(try SongReading.chordPro(text).first) }

    /// Writes a song, and expects the same song when it is read again.
    private func expectTheSameAgain(_ song: Song, _ text: String) throws {
        let written = song.chordPro
        let again = try read(written).song
        #expect(again == song, "\(text.debugDescription) became \(written.debugDescription)")
    }

    @Test func aSongIsRead() throws {
        let text = """
            # by hand
            {title: Swing Low}
            {st:A spiritual}
            {meta: artist Nobody}
            {key: D}
            {capo 2}

            {soc}
            Swing [D]low, sweet [G]chari[D]ot,
            {eoc}
            {start_of_verse: label="Verse 1"}
            I [D]looked [*slowly]over
            {c: softly [A7]}
            {ci:x}{cb:y}
            {end_of_verse}
            {chorus}
            {chorus: Last}
            {np}
            {colb}
            {transpose: +2}
            {transpose: -1f}
            {transpose}
            {key: E}
            {tempo: 90}
            {sot}
            e|--[G]--|
            {soc}
            {eot}
            {sog}
            | G . D/F# . |
            {eog}
            {eoc}
            {define: G base-fret 1}
            """
        let reading = try read(text)
        #expect(
            reading.song.details.map { "\($0.name)=\($0.value)" } == [
                "title=Swing Low", "subtitle=A spiritual", "artist=Nobody", "key=D", "capo=2",
            ])
        #expect(reading.song.capo == 2)
        #expect(
            reading.song.shown == [
                "# by hand", "", "chorus: -", "Swing [D]low, sweet [G]chari[D]ot,", "verse: Verse 1", "I [D]looked [*slowly]over",
                "plain softly [A7]", "italic x}{cb:y",
                "chorus again", "chorus Last", "page", "column", "transpose(Optional(2))", "transpose(Optional(-1))", "transpose(nil)",
                "key(\"E\")", "tempo = 90", "tab: -",
                "|e|--[G]--|", "|{soc}", "grid: -", "|| G . D/F# . |", "{eoc}", "{define: G base-fret 1}",
            ])
        #expect(reading.remarks.map(\.reason) == [.spelling, .inTab, .notBegun, .unknownDirective])
        try expectTheSameAgain(reading.song, text)
    }

    @Test func aFileMayHaveSeveralSongs() throws {
        let songs = try SongReading.chordPro("# two\n{ns}\n{t: One}\n[G]a\n{new_song}\n{t: Two}\n[H]b\n")
        #expect(songs.map(\.song.title) == ["One", "Two"] && songs.map(\.song.naming) == [.english, .german])
        #expect(try SongReading.chordPro("").map(\.song.sections) == [[]])
    }

    @Test(arguments: [
        "#1 fan", "{a}}", "{{", "<3 you", "<[]b>", "[", "]", "[[E]]", "[<b>]x", "<b>x[<b>]</b>", "<<b>b>", "<b><<b>b></b>", "[a<b>b</b>]",
        "a[</b>b]", "{[G]}", "[G]{x}", "{x: y} z", " {x}",
        "CHORUS (a\\nb)",
        "{ [] x }", "{:x}", "{ : }", "{c: x}", "{[G] x }", "{{[]  x}}", "{<b> x</b>}", "CHORUS (label=\"x\")", "VERSE 1: a", "# ", "\t# x",
        "[G][D]", "x\n\n\ny", "VERSE\nVERSE\nx",
        "TRANSPOSE KEY +2\nREDEFINE KEY -2\nCOLUMN_BREAK\n{{COLUMN_BREAK}}\n{{PAGE_BREAK}}\nPAGE_BREAK", "[H]x [B]y", "\u{301}a",
        "[\u{301}G]a", "a\u{200B}", "{\u{301}}", "#\u{301}x", "[\u{FEFF}]",
        "<b>[G</b>]", "[G<b>]x</b>", "{{title: x}}", "{ns}", "{sot}", "{x_notes: german}", "x_", "<b>a\nb", "<b>#x</b>", "<b>{x}</b>",
        "[G]\nb\n<i></i>d\n[]e\nb\n[]foo\nfis\n[]CHORUS\nb\n<b>x</b>",
        "DO  MI\n[]x\n[]DO  MI\nSOL\nDO  MI\n#x", "[G]a\n{[Guitar Solo]}\n[]b\\",
        "G (x B|CHORUS x)",
    ]) func aLineOfTheServiceIsTheSameFromChordPro(_ text: String) throws {
        try expectTheSameAgain(try SongReading(service: text, title: "T", key: "G").song, text)
    }

    @Test(arguments: [
        "{t::x}", "{t}", "{key}", "{sov: label=\"\"}", "{sov: label=\"a\"b\"}", "{sov: label=\"label=\"x\"\"}", "{sov:: x}", "{eov}",
        "{sov}\n{sov}\n{eov}", "{start_of_}", "{start_of_a-b}", "{sot}\n{\n",
        "{sot}\n  x\n\n{eov}", "{sog}\n| G * |\n{*G}", "{meta: x}", "{meta: foo bar}", "{meta: artist  a b }", "{}", "{ }", "{:}", "{c}",
        "{c: :x}", "{c:  [G]}", "{transpose: 200}", "{transpose: 2k}", "#{t: x}", " #x",
        "{x_redefine_key: 1}", "{x_notes: german}\n[B]x", "a\n{key: B}", "{key: H}", "\n#a\n{t:x}\n\n", "{highlight: a}", "{c: {x}}",
        "{c: a}}", "{chorus:}", "{textfont: x}", "{T: A}", "{soc-x}", "[*]", "[* x]", "\u{301}{c}",
        "{soc}\n[Guitar Solo]\n[CHORUS]\n{eoc}", "[CHORUS]\n[G]a\n{eoc}\nb", "[G B x][Part C]",
    ]) func aLineOfChordProIsTheSameAgain(_ text: String) throws { try expectTheSameAgain(try read(text).song, text) }

    /// Random texts, put together from meaningful pieces.
    @Test func whateverIsReadIsTheSameAgain() throws {
        let pieces = [
            "[", "]", "{", "}", "{{", "}}", "<b>", "</b>", "<i>", "</i>", "<", ">", "b", "/", "G", "D/F#", "H", "B", " ", "\t", "\n", "\n",
            "#", ":", "|", "VERSE 1", "CHORUS", "TRANSPOSE KEY +1", "{c:", "{t:",
            "{soc}", "{eoc}", "{sot}", "{eot}", "{sog}", "{eog}", "{key:", "x", "(", ")", "*", "\u{301}", "\u{2028}", "label=\"", "\"",
            "N.C.", "{transpose", "{chorus",
        ]
        var random = SeededGenerator(seed: 7)
        for _ in 0..<3000 {
            let text = (0..<Int.random(in: 1...25, using: &random)).map { _ in pieces.randomElement(using: &random)! }.joined()
            try expectTheSameAgain(try SongReading(service: text).song, text)
            for reading in try SongReading.chordPro(text) { try expectTheSameAgain(reading.song, text) }
        }
    }
}

/// A single misprint must not make the names German, which would turn every B into a B flat.
@Suite struct MisprintTests {
    @Test func whereThereIsABFlatNobodyWroteInGerman() throws {
        let song = try #require(try SongReading.chordPro("{key: Em}\n[Em]x [B7]y [Bb]z [H]w\n").first?.song)
        #expect(song.naming == .english)
        #expect(try song.written(in: Key("Am")).chordPro.contains("[Am]x [E7]y [Eb]z [H]w"))
        let german = try #require(try SongReading.chordPro("{key: Em}\n[Em]x [H7]y [B]z\n").first?.song)
        #expect(german.naming == .german)
    }
}
