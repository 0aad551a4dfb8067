import Model
import TestSupport
import Testing

@testable import Songs

/// Songs as people write them: chords without brackets, without a key, and with what other programs understand.
@Suite(.timeLimit(.minutes(5)))
struct AsPeopleWriteTests {
    private func chordPro(_ text: String, parts: Set<String> = []) throws -> SongReading {
        try #require(try SongReading.chordPro(text, parts: parts).first)
    }

    private func service(_ text: String, key: String? = "G") throws -> SongReading { try SongReading(service: text, key: key) }

    // MARK: - Chords without brackets

    @Test(arguments: [
        ("Intro: G C D", ["intro: Intro:", "[G] [C] [D]"]), ("INTRO: G C D", ["intro: INTRO:", "[G] [C] [D]"]),
        ("Intro G C D", ["intro: Intro", "[G] [C] [D]"]), ("Tag: G | C | D", ["tag: Tag:", "[G] [|] [C] [|] [D]"]),
        ("Riff: Em7 D/F#", ["Riff: [Em7] [D/F#]"]), ("VERSE 2 | G | C |", ["verse: VERSE 2", "[|] [G] [|] [C] [|]"]),
        ("INTRO 2X - G C D", ["intro: INTRO 2X", "[-] [G] [C] [D]"]), ("FINAL CHORUS | G |", ["chorus: FINAL CHORUS", "[|] [G] [|]"]),
        ("{Intro: G C}", ["plain Intro: [G] [C]"]), ("{ G C }", ["plain [G] [C]"]),
        ("VERSE A", ["verse: VERSE A"]), ("BRIDGE 2", ["bridge: BRIDGE 2"]), ("Note: Be still", ["Note: Be still"]),
        ("CHORUS: A CAPPELLA", ["chorus: CHORUS: A CAPPELLA"]),
    ])
    func aWordMayStandBeforeChordsOfTheService(line: String, shown: [String]) throws {
        #expect(try service(line).song.shown == shown)
    }

    @Test(arguments: [
        ("Intro: G C D", ["Intro: [G] [C] [D]"]), ("G  C\nglory be", ["[G]glo[C]ry be"]), ("G C D", ["[G] [C] [D]"]),
        ("{c: Intro: G C}", ["plain Intro: [G] [C]"]), ("{c: play G}", ["plain play G"]), ("G C\n[D]words", ["[G] [C]", "[D]words"]),
        ("Amen", ["Amen"]), ("A", ["A"]),
    ])
    func chordProMayHaveChordsWithoutBrackets(text: String, shown: [String]) throws {
        let reading = try chordPro("{key: G}\n" + text)
        #expect(reading.song.shown == shown)
        #expect(try chordPro(reading.song.chordPro).song == reading.song, "\(reading.song.chordPro)")
    }

    @Test func chordsWithoutBracketsMove() throws {
        let text = "{key: G}\nIntro: G C D\nG      C\nAmazing grace\n"
        let moved = try chordPro(text).song.written(in: Key("A"))
        #expect(moved.shown == ["Intro: [A] [D] [E]", "[A]Amazing[D] grace"])
        #expect(try service("Tag: G | C").song.written(in: Key("A")).shown == ["tag: Tag:", "[A] [|] [D]"])
    }

    @Test(arguments: ["G C D twice", "G then C", "{G C D slowly}", "Form: A A B A", "Intro: [G] C D"]) func whatMayBeEitherStaysAndIsNamed(
        line: String
    ) throws {
        let reading = try service(line)
        #expect(reading.remarks.map(\.reason) == [.maybeChords] && reading.remarks.allSatisfy(\.isUnmovedChord))
        #expect(try !reading.song.written(in: Key("B")).shown[0].contains("C#"))
        #expect(try chordPro("A\n").remarks.map(\.reason) == [.maybeChords])
    }

    @Test(arguments: [
        "G C\nEm C D etc.", "G C\nG C D Fine", "G   H7   e   a   D7", "Amazing (G) grace how (C) sweet", "C: G C D",
        "On the last time: G C",
    ])
    func chordsAmongOtherWordsAreNamed(text: String) throws {
        let reading = try service(text)
        #expect(reading.remarks.contains { $0.reason == .maybeChords }, "\(reading.song.shown)")
    }

    @Test func whatIsSungStaysUnderItsChords() throws {
        #expect(try service("D         A\nAs A Child").song.shown == ["[D]As A Child[A]"])
        #expect(try service("[Verse] Amazing grace").song.shown == ["[Verse] Amazing grace"])
        #expect(try service("INTRO\nTempo: 72\n[G]a", key: nil).song.shown == ["intro: INTRO", "Tempo: 72", "[G]a"])
        #expect(try service("Ooh------").song.shown == ["Ooh------"])
        #expect(try service("G     C\nE -----3-----0---").song.shown == ["|G     C", "|E -----3-----0---"])
    }

    @Test func chordsInATabAreNamedAndLabelsOfAGridStay() throws {
        #expect(try chordPro("{key: G}\n{sot}\n  G   C   D\ne|---3---|\n{eot}").remarks.map(\.reason) == [.maybeChords])
        let grid = try chordPro("{key: G}\n{sog}\nA || G . | [C] . |\n{eog}").song
        #expect(try grid.written(in: Key("A")).shown == ["grid: -", "|A || A . | [D] . |"])
    }

    @Test(arguments: ["Be thou my vision", "All creatures of our God and King", "Go, tell it", "A day", "Come and see"])
    func wordsAreNotTakenForChords(line: String) throws {
        #expect(try service(line).remarks.isEmpty && chordPro(line).remarks.isEmpty)
        #expect(try service(line).song.shown == [line] && chordPro(line).song.shown == [line])
    }

    @Test func textThatLooksLikeAChordIsNamed() throws {
        let words = try service("[G]one [Bbx7]two [Coda]three [D.C.]four [Fine]five").remarks
        #expect(words.filter(\.isUnmovedChord).map(\.text) == ["Bbx7"])
    }

    // MARK: - Without a key

    @Test(arguments: [
        ("[G]a [C]b [D]c [G]d", "G"), ("[Em]a [C]b [D]c [Em]d", "Em"), ("[Am]a [Dm]b [E]c [Am]d", "Am"), ("[Bb]a [Eb]b [F7]c [Bb]d", "Bb"),
        // It ends on the way back to the beginning; it has chords that lead on by fifths.
        ("[E]a [A]b [E]c [A]d [E]e [B7]f [E]g [A]h [E]i [A]j", "E"), ("[Eb]a [C7]b [F7]c [Bb7]d [Eb]e", "Eb"),
        ("[F#]a [B]b [C#]c [F#]d", "F#"), ("[Db]a [Gb]b [Ab]c [Db]d", "Db"), ("{capo: 2}\n[G]a [C]b [D]c [G]d", "G"),
    ])
    func aLikelyKeyIsFound(text: String, key: String) throws {
        let likely = try #require(try chordPro(text).song.likelyKey)
        #expect(likely.key.description == key && likely.reason.hasPrefix("its chords look like \(key): "))
    }

    @Test(arguments: ["words alone", "[G]a [C]b", "[C]a [F#]b [Bbm]c [E]d [Ab]e", "[N.C.]a"])
    func whereNoneIsLikelyNoneIsFound(text: String) throws {
        #expect(try chordPro(text).song.likelyKey == nil)
    }

    @Test func withACapoTheReasonSaysWhatSounds() throws {
        let likely = try #require(try chordPro("{capo: 2}\n[G]a [C]b [D]c [G]d").song.likelyKey)
        #expect(
            likely.reason == "its chords look like G: it begins and ends with G, and 4 of 4 chords fit; behind the capo, it sounds in A")
    }

    // MARK: - Files with any name

    @Test(arguments: [
        ("{title: Grace}\n[G]Amazing", 1), ("\n{t:Grace}\nwords", 2), ("{soc}\nwords", 1), ("{key: G}\n{softly}\n{artist: x}\nwords", 1),
        ("words\n{meta: artist x}", 2), ("{c: Slow}\nwords\n{start_of_verse: 1}", 1),
    ])
    func chordProIsKnownByItsDirectives(text: String, line: Int) throws { #expect(try #require(ChordProSign(in: text)).line == line) }

    /// In the service's format, braces are around notes.
    @Test(arguments: [
        "VERSE 1\n[G]words", "{softly}\nwords\n{Capo: 2}", "{Intro: G C}\n{Chorus}\n{Tag: x2}\nwords", "{{ title: x }}",
        "{title}\n{Time: free}",
        "{Key: up}\n{Key: down}",
    ])
    func notesInBracesAreNoDirectives(text: String) { #expect(ChordProSign(in: text) == nil) }

    @Test func aLikelyKeyIsNeverTakenSilently() throws {
        let song = try chordPro("[G]a [C]b [D]c [G]d").song
        #expect(song.key == nil)
        do {
            _ = try song.written(in: Key("A"))
            Issue.record("the song was moved")
        } catch {
            #expect("\(error)".contains("its chords look like G: it begins and ends with G, and 4 of 4 chords fit"))
        }
        #expect(try song.stating(key: "G").written(in: Key("A")).shown == ["[A]a [D]b [E]c [A]d"])
    }

    @Test func capoAndTransposeHoldWithoutAKey() throws {
        let song = try chordPro("{capo: 3}\n[G]a [C]b [D]c [G]d\n{transpose: 2}\n[G]e [Bm]f").song
        let asWritten = try song.written(capo: 3)
        #expect(asWritten.capo == 3 && asWritten.key == nil && asWritten.shown.first == "[G]a [C]b [D]c [G]d")
        #expect(asWritten.shown.last == "[A]e [C#m]f")
        #expect(try song.written(capo: 0).shown.first == "[Bb]a [Eb]b [F]c [Bb]d")
        #expect(try chordPro("[G]a [C]b [D]c [G]d").song.written(capo: 2).shown == ["[F]a [Bb]b [C]c [F]d"])
    }

    @Test(arguments: [
        ("A#", "Bb"), ("D#", "Eb"), ("G#", "Ab"), ("ADor", "Am"), ("D dorian", "Dm"), ("G mixolydian", "G"), ("E phrygian", "Em"),
        ("F lydian", "F"), ("B locrian", "Bm"), ("C ionian", "C"), ("Fb", "E"),
    ])
    func unusualKeysAreRead(text: String, key: String) { #expect(Key(text)?.description == key) }

    @Test func aKeyInSharpsMovesByTheRightInterval() throws {
        #expect(try chordPro("{key: A#}\n[A#]a [D#]b [F]c").song.written(in: Key("C")).shown == ["[C]a [F]b [G]c"])
    }

    @Test(arguments: [
        ("gb", Naming.english, "Gb"), ("f#m", .english, "F#m"), ("h", .english, "B"), ("H", .english, "B"), ("H", .german, "B"),
        ("B", .german, "Bb"), ("B", .english, "B"), ("fis-moll", .german, "F#m"), ("am", .english, "Am"),
    ])
    func keysMayBeTypedCarelessly(text: String, naming: Naming, key: String) {
        #expect(Key(typed: text, naming: naming)?.description == key)
        #expect(["X", "", "Gmaj7", "key"].allSatisfy { Key(typed: $0) == nil })
    }

    @Test func aKeyThatSoundsBehindTheCapoIsKnownByTheChords() throws {
        let reading = try chordPro("{key: Bb}\n{capo: 3}\n[G]Silent [D7]night, [C]holy [G]night")
        #expect(reading.song.key?.description == "G" && reading.song.capo == 3)
        #expect(reading.remarks.map(\.description).first?.contains("taken for the key that sounds behind the capo") == true)
        let usual = try chordPro("{key: G}\n{capo: 3}\n[G]Silent [D7]night, [C]holy [G]night")
        #expect(usual.song.key?.description == "G" && usual.remarks.isEmpty)
    }

    @Test func aKeyThatTheChordsContradictIsNamedAndCanBeCorrected() throws {
        let song = try chordPro("{key: D}\n[Bb]A mighty [F]fortress [Eb]is our [Bb]God").song
        #expect(song.contradictingKey?.key.description == "Bb")
        #expect(try song.corrected(key: "Bb").written(in: Key("C")).shown == ["[C]A mighty [G]fortress [F]is our [C]God"])
        #expect(try chordPro("{key: G}\n[G]a [C]b [D]c [G]d").song.contradictingKey == nil)
    }

    // MARK: - What other programs understand

    @Test func plainTextsMayBeginWithTheirDetails() throws {
        let text = "Title: Be Thou My Vision\nArtist: Somebody\nKey: [D]\nCapo: 2\n\nVerse 1:\n[D]Be Thou my [Bm]vision"
        let song = try service(text, key: nil).song
        #expect(song.title == "Be Thou My Vision" && song.key?.description == "D" && song.capo == 2)
        #expect(song.shown == ["verse: Verse 1:", "[D]Be Thou my [Bm]vision"])
        let first = try service("Grace\nKey: G\nCapo: 3\n\n[G]one", key: nil).song
        #expect(first.title == "Grace" && first.key?.description == "G" && first.shown == ["[G]one"])
        #expect(try service("Note: sing\nKey: sung words", key: nil).song.shown == ["Note: sing", "Key: sung words"])
    }

    @Test(arguments: [
        ("{title: Grace}\nWords alone", true), ("G   C\nAmazing grace", true), ("Grace\nKey: G\n[G]A[C]men", true),
        ("e|-3-|-0-|\nB|-0-|-1-|\nG|-0-|-0-|\nD|-0-|-2-|", true), ("SOL   RE7\nDe colores", true),
        ("Read me\n[A] is the first part.", false), ("Grace\nAbide\n\nVision", false), ("| a | b |\n|---|---|\n| 1 | 2 |", false),
        ("{ softly }\nAmazing grace", false), ("", false),
    ])
    func aTextOfAnyFormatIsASongIfItHasDirectivesOrChords(text: String, isSong: Bool) {
        let song = SongText(text, dialect: .any, title: "x")
        #expect(((try? song.read()) != nil) == isSong)
    }

    @Test func otherLinesAmongTheDetailsStay() throws {
        let text = "Grace\n\nDifficulty: novice\nTuning: E A D G B E\nKey: G\nCapo: 2nd fret\n\n[Intro]\nG C"
        let reading = try service(text, key: nil)
        #expect(reading.song.title == "Grace" && reading.song.key?.description == "G" && reading.song.capo == 2)
        #expect(reading.song.shown == ["Difficulty: novice", "Tuning: E A D G B E", "", "intro: Intro", "[G] [C]"])
        #expect(reading.remarks.isEmpty && reading.layout == 5)
        let made = try service("Grace\nJohn Newton\nTonart: H\n\n[H]one", key: nil).song
        #expect(made.title == "Grace" && made.detail("artist") == "John Newton" && made.key?.description == "B")
    }

    @Test(arguments: [
        ("Capo 3", 3), ("CAPO: 3rd fret", 3), ("Capo on 3", 3), ("Capo: no capo", 0), ("Capo: 3 or 5", 0), ("Capo everything", 0),
    ])
    func aCapoIsReadOrStaysOnThePage(line: String, fret: Int) throws {
        let song = try service("\(line)\nAm  G\nfair", key: nil).song
        #expect(song.capo == fret && song.shown.contains(line) == (fret == 0))
        // The service has a key of its own, and says what it is the key of.
        #expect(try service("\(line)\n[G]one", key: "G").song.capo == 0)
    }

    @Test func fieldsOfTheServicePrecedeThoseInTheText() throws {
        let text = "Title: Grace\nKey: G\nCapo: 3\n\n[G]one"
        let reading = try SongReading(service: text, title: "Amazing Grace")
        #expect(reading.song.title == "Amazing Grace" && reading.song.details("title") == ["Amazing Grace", "Grace"])
        let keyed = try SongReading(service: text, title: "Amazing Grace", key: "G").song
        #expect(keyed.shown == ["[G]one"] && keyed.capo == 3 && keyed.details("key") == ["G"])
        // Where two keys are stated, a person has to see both.
        #expect(try service("Title: Grace\nKey: D\n[G]one", key: "G").song.shown == ["Title: Grace", "Key: D", "[G]one"])
    }

    @Test(arguments: ["G C D", "G: 320003", "CHORUS", "Intro: G C", String(repeating: "word ", count: 13)])
    func notEachLineBeforeAKeyIsATitle(line: String) throws {
        let song = try service("\(line)\nKey: G\n[G]one", key: nil).song
        #expect(song.title == nil && song.shown.count > 1)
    }

    @Test(arguments: [
        ("[verse 4]", ["verse: VERSE 4"]), ("[Solo]", ["solo: SOLO"]), ("[Verse 1]:", ["verse: VERSE 1"]),
        ("[Verse 5]", ["verse: Verse 5"]),
        ("[Intro]: Am  C x2", ["intro: INTRO:", "[Am]  [C] [x2]"]), ("[G]", ["[G]"]), ("[G]Chorus", ["[G]Chorus"]),
    ])
    func headingsMayStandInBrackets(line: String, shown: [String]) throws { #expect(try service(line).song.shown == shown) }

    @Test(arguments: [
        ("-[Verse 2]", "verse: Verse 2", 5), ("— [Chorus]", "chorus: Chorus", 5), ("-[Solo]", "solo: SOLO", 5), ("-[G]", "-[G]", 1),
        ("-[Into]", "-[Into]", 1), ("- so [Intro]", "- so [Intro]", 1),
    ])
    func aDashMayStandBeforeAHeadingInBrackets(line: String, shown: String, layout: Int) throws {
        for reading in try [service(line), chordPro("{key: G}\n" + line)] {
            #expect(reading.song.shown == [shown] && reading.layout == layout)
            #expect(try chordPro(reading.song.chordPro).song == reading.song)
        }
    }

    @Test(arguments: ["E ------|------|", "e|---0---2h3--|", "B|--1/3~~---|"]) func tablatureStaysAsItIs(line: String) throws {
        #expect(try service(line).song.written(in: Key("A")).shown == ["|" + line])
        let song = try chordPro("{key: G}\n" + line).song
        #expect(try song.written(in: Key("A")).shown == ["|" + line] && chordPro(song.chordPro).song == song)
    }

    @Test func namesOfOtherEditorsAreKnown() throws {
        let reading = try chordPro("{music: A}\n{words: B}\n{authors: C}\n{meta: x_source d}\n{gc: slowly}\n[G]a")
        #expect(reading.remarks.isEmpty && reading.song.shown.contains("plain slowly"))
        #expect(reading.song.details.map(\.name) == ["composer", "lyricist", "artist"])
    }

    @Test(arguments: [
        ("{start_of_grid: 1+4x2+4}", "grid: -"), ("{start_of_grid: 4x4 Intro}", "grid: Intro"),
        ("{start_of_grid shape=\"4x4\" label=\"Intro\"}", "grid: Intro"), ("{start_of_textblock align=right flush=right}", "textblock: -"),
        ("{start_of_verse: label='Verse 1'}", "verse: Verse 1"), ("{start_of_verse: Verse 1}", "verse: Verse 1"),
        ("{start_of_chorus: label=\"<img src='x.png'/>All\"}", "chorus: All"), ("{start_of_verse: label=\"One\\nTwo\"}", "verse: One Two"),
        ("{start_of_verse: a=b c}", "verse: -"), ("{start_of_verse: Sing a=b}", "verse: Sing a=b"),
    ])
    func attributesAreNoHeadings(line: String, heading: String) throws {
        let song = try chordPro(line).song
        #expect(song.shown == [heading] && song.chordPro.hasPrefix(line.prefix { $0 != ":" && $0 != " " }))
        #expect(try chordPro(song.chordPro).song == song)
    }

    @Test func partsForCertainPlayersAreLeftOutAndNamed() throws {
        let text = "{start_of_verse-alto: V}\n[G]low\n{end_of_verse}\n{comment-guitar: strum}\n{c-guitar!: keys}\n[G]all\n"
        let reading = try chordPro(text)
        #expect(reading.song.sections.map { $0.heading?.isLeftOut ?? false } == [true, false])
        #expect(reading.remarks.map(\.reason) == [.leftOut, .leftOut])
        #expect(reading.song.shown == ["verse: V", "[G]low", "{comment-guitar: strum}", "plain keys", "[G]all"])
        #expect(try chordPro(reading.song.chordPro).song == reading.song)
        let wanted = try chordPro(text, parts: ["alto", "guitar"])
        #expect(wanted.song.sections.allSatisfy { $0.heading?.isLeftOut != true } && wanted.remarks.map(\.reason) == [.leftOut])
        #expect(wanted.song.shown == ["verse: V", "[G]low", "plain strum", "{c-guitar!: keys}", "[G]all"])
        // A left-out part moves with the others, so that a text in another key is right for everybody.
        #expect(try reading.song.stating(key: "G").written(in: Key("A")).chordPro.contains("{start_of_verse-alto: V}\n[A]low"))
    }

    @Test func musicForOtherProgramsIsLeftOutAndNamed() throws {
        let reading = try chordPro("{start_of_abc spread=32}\nX:1\n{end_of_abc}\n[G]a")
        #expect(reading.remarks.map(\.reason) == [.notDrawn] && reading.song.sections[0].heading?.isLeftOut == true)
    }

    @Test(arguments: [
        ("%{title} in %{key}", "Grace in A"), ("%{artist|by %{}|by nobody}", "by nobody"), ("%{title|“%{}”}", "“Grace”"),
        ("%{nothing}!", "!"),
        ("100 %{", "100 %{"), ("%{title|a|b}%{key}", "aA"), ("%", "%"), ("%{artist=x|a|b}", "b"),
    ])
    func detailsStandInForTheirNames(text: String, shown: String) throws {
        #expect(try chordPro("{title: Grace}\n{key: A}\n[A]a").song.expanding(text) == shown)
    }

    @Test func substitutionsAreBounded() throws {
        let song = try chordPro(
            "{title: \(String(repeating: "x", count: 100_000))}\n{c: \(String(repeating: "%{title}", count: 10_000))}\n[G]a"
        ).song
        #expect(song.shown[0].utf8.count < 100_000)
        #expect(try chordPro("{start_of_verse: a=1 \(String(repeating: "a ", count: 400_000))}").song.sections.count == 1)
        #expect(try chordPro("{title: Grace}\n{c: %{title} [G] in %{key}}").song.shown == ["plain Grace [G] in %{key}"])
    }

    @Test func aBackslashJoinsLines() throws {
        #expect(try chordPro("{c: one \\\n   two}\n[G]a\\\n  b\nso\\").song.shown == ["plain one two", "[G]ab", "so"])
        let song = try service("one\\\n[G]two").song
        #expect(try chordPro(song.chordPro).song == song)
    }

    @Test func tagsForLooksAreNotShown() throws {
        let line = "[G]<span color=\"red\">sw<b>ee</b>t</span> <sup>2</sup> <3 a<b c"
        #expect(try chordPro(line).song.shown == ["[G]sw<b>ee</b>t 2 <3 a<b c"])
    }

    @Test(arguments: [
        "{transpose: -9223372036854775808}", "{transpose: 9223372036854775808}", "{x_redefine_key: -9223372036854775808}",
        "{capo: -9223372036854775808}",
    ])
    func hugeNumbersHaveNoEffect(line: String) throws {
        let song = try chordPro("{key: G}\n\(line)\n[G]a").song
        #expect(try song.written(in: Key("A"), capo: 0).shown.last?.hasPrefix("[") == true)
        #expect(try service("TRANSPOSE KEY -9223372036854775808\n[G]a").song.shown.last == "[G]a")
    }

    @Test func numbersCanBeReadAgain() throws {
        let song = try chordPro("{key: G}\n[B7/F#]a [Em7]b [C]c [Dsus4]d [G2]e").song.written(as: .numbers(.fromMajor))
        #expect(song.shown == ["[37/7]a [6-7]b [4]c [5sus4]d [12]e"])
        #expect(try chordPro(song.chordPro).remarks.isEmpty)
    }

    @Test func directivesOfOneProgramAreIgnoredInSilence() throws { #expect(try chordPro("{x_tool: 1}\n[G]a").remarks.isEmpty) }
}
