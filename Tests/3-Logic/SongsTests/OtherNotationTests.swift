import Model
import Testing

@testable import Songs

/// Comments that name parts, numbers, fingerings, and chords that are named Do, Re, Mi.
@Suite(.timeLimit(.minutes(5)))
struct OtherNotationTests {
    private func chordPro(_ text: String) throws -> SongReading { try #require(try SongReading.chordPro(text).first) }

    private func service(_ text: String) throws -> SongReading { try SongReading(service: text, key: "G") }

    // MARK: - Comments

    @Test(arguments: [
        ("{c: Chorus}\n[G]a", ["chorus: Chorus", "[G]a"]), ("{comment: Verse 2}\n[G]a", ["verse: Verse 2", "[G]a"]),
        ("{cb: <b>BRIDGE (x2)</b>}", ["bridge: BRIDGE (x2)"]), ("{ci: [Chorus]}", ["chorus: Chorus"]),
        ("{soc}\n{c: Chorus}\n[G]a\n{eoc}", ["chorus: Chorus", "[G]a"]),
        ("{soc}\n[G]a\n{c: Chorus}\n{eoc}", ["chorus: -", "[G]a", "plain Chorus"]),
        ("{sov: One}\n{c: Verse}\n{eov}", ["verse: One", "plain Verse"]), ("{sov}\n{c: Chorus}\n{eov}", ["verse: -", "plain Chorus"]),
        ("{c:chorus}\n[G]a", ["chorus: Chorus", "[G]a"]),
        ("{c: verse 2}", ["verse: Verse 2"]), ("{c: chorus of angels}", ["plain chorus of angels"]),
        ("{c: Chorus of angels}", ["plain Chorus of angels"]), ("{c: softly}", ["plain softly"]),
        ("{c: Verse}\n[G]a\n{eov}\n[G]b", ["verse: Verse", "[G]a", "[G]b"]), ("{c: Verse}\n{eoc}", ["verse: Verse", "{eoc}"]),
        ("{c: Intro: G C}", ["plain Intro: [G] [C]"]), ("{c: []Chorus}", ["plain Chorus"]),
    ])
    func aCommentThatOnlyNamesAPartIsItsHeading(text: String, shown: [String]) throws {
        let song = try chordPro("{key: G}\n" + text).song
        #expect(song.shown == shown)
        #expect(try chordPro(song.chordPro).song == song, "\(song.chordPro)")
    }

    @Test func detailsAfterSuchAHeadingAreTheSongs() throws {
        let song = try chordPro("{c: Intro}\n{key: G}\n{capo: 2}\n[G]a").song
        #expect(song.key == Key("G") && song.capo == 2 && song.shown == ["intro: Intro", "[G]a"])
        // The service's braces are notes, and stay so in ChordPro.
        let note = try service("{Chorus}\n{chorus}\n{[Chorus]}").song
        #expect(try note.sections.count == 1 && chordPro(note.chordPro).song == note)
    }

    @Test func whoMadeTheSongMayBeSaidBelowIt() throws {
        let reading = try chordPro("{key: G}\n[G]a\n{artist: B}\n{copyright: 1779}\n{title: C}\n{title: D}\n{key: A}\n{tempo: 90}")
        #expect(reading.song.details.map(\.value) == ["G", "B", "1779", "C"] && reading.layout == 5)
        #expect(reading.song.shown == ["[G]a", "title = D", "key(\"A\")", "tempo = 90"])
        #expect(try chordPro(reading.song.chordPro).song == reading.song)
    }

    @Test func anotherCapoIsNamed() throws {
        let reading = try chordPro("{key: G}\n{capo: 2}\n{capo: 2}\n{capo: 4}\n[G]a\n{capo: 5}\n[G]b")
        #expect(reading.song.capo == 2 && reading.remarks.map(\.reason) == [.anotherCapo, .anotherCapo])
        #expect(reading.remarks.map(\.line) == [4, 6] && reading.remarks.map(\.text) == ["{capo: 4}", "{capo: 5}"])
    }

    // MARK: - Brackets with words

    @Test(arguments: [
        ("[Section A - Guitar]", "section: Section A - Guitar"), ("[Part B]", "section: Part B"), ("[A Section]", "section: A Section"),
        ("[Section B…]", "section: Section B…"),
        ("[Banjo Interlude]", "interlude: Banjo Interlude"), ("[Guitar Solo]", "solo: Guitar Solo"),
        ("[Outro-Guitar Solo]", "solo: Outro-Guitar Solo"), ("[Solo] (x2)", "solo: SOLO (X2)"),
        ("[Verse 2]  (same chords)", "verse: VERSE 2 (SAME CHORDS)"),
    ])
    func aPartWithOtherWordsInBracketsIsAHeading(line: String, shown: String) throws {
        for reading in try [service(line + "\n[G]a"), chordPro("{key: G}\n" + line + "\n[G]a")] {
            #expect(reading.remarks.isEmpty, "\(reading.remarks)")
            #expect(try reading.song.written(in: Key("A")).shown == [shown, "[A]a"])
            #expect(try chordPro(reading.song.chordPro).song == reading.song)
        }
    }

    @Test(arguments: [
        ("[Section A]one [G]two", "[Section A]one [A]two", 0), ("[Solo (A)]one [G]two", "[Solo (A)]one [A]two", 1),
        ("[C (hold)]one", "[D (hold)]one", 0), ("[Intro: G C]one", "[Intro: A D]one", 0), ("[Em Solo]one", "[F#m Solo]one", 0),
    ])
    func aLetterBesideAWordInBracketsStaysAndIsNamedUnlessItIsOfAPart(text: String, shown: String, unmoved: Int) throws {
        let reading = try chordPro("{key: G}\n" + text)
        #expect(try reading.song.written(in: Key("A")).shown == [shown])
        #expect(reading.remarks.count(where: \.isUnmovedChord) == unmoved, "\(reading.remarks)")
        #expect(try chordPro(reading.song.chordPro).song == reading.song)
    }

    @Test func chordsAboveATabStayInItsColumnsAndAreNamed() throws {
        let text = "  G       C\ne|---3---|---0---|\nB|---0---|---1---|\n[G]a"
        for reading in try [service(text), chordPro("{key: G}\n" + text)] {
            #expect(try reading.song.written(in: Key("A")).shown.first == "|  G       C")
            #expect(reading.remarks.map(\.reason) == [.inTab] && reading.layout == 5)
            #expect(try chordPro(reading.song.chordPro).song == reading.song)
        }
    }

    @Test(arguments: [("G->C->Am", "A->D->Bm"), ("G→C", "A→D"), ("G · C", "A · D"), ("Am- C", "Bm- D")])
    func chordsMayBeJoinedByArrows(line: String, moved: String) throws {
        let shown = try service(line).song.written(in: Key("A")).shown
        #expect(shown.map { $0.filter { $0 != "[" && $0 != "]" } } == [moved])
    }

    @Test func aStarAfterANameIsNoWordOfAFingering() throws {
        #expect(try service("D*   xx0232").remarks.map(\.reason) == [.fingering])
        #expect(try service("Tuning: D A D G B E\n[G]a").remarks.isEmpty, "strings move with no key")
    }

    // MARK: - Numbers

    @Test(arguments: [
        ("[1]a [4]b [6m]c [5/7]d [b7]e [(6m)]f [<1>]g", "[1]a [4]b [6m]c [5/7]d [b7]e [(6m)]f [<1>]g"),
        ("1  4  5  6-", "[1]  [4]  [5]  [6-]"),
        ("| 1 | 4 5 | 2/#4 |", "[|] [1] [|] [4] [5] [|] [2/#4] [|]"), ("1    5\nAmazing grace", "[1]Amazi[5]ng grace"),
    ])
    func numbersAreChordsInEveryKey(text: String, shown: String) throws {
        for reading in try [service(text), chordPro("{key: G}\n" + text)] {
            #expect(reading.remarks.isEmpty, "\(reading.remarks)")
            #expect(reading.song.shown == [shown])
            #expect(try reading.song.written(in: Key("A")).shown == [shown])
            #expect(try chordPro(reading.song.chordPro).song == reading.song)
        }
    }

    @Test func numbersMayFollowTheNameOfAPart() throws {
        #expect(try service("INTRO: 1 4 5").song.shown == ["intro: INTRO:", "[1] [4] [5]"])
        #expect(try service("VERSE 2 | 1 | 4 |").song.shown == ["verse: VERSE 2", "[|] [1] [|] [4] [|]"])
    }

    @Test(arguments: ["1 2 3 4", "7", "1779 1780", "2 Corinthians", "John: 3 16", "3 A", "1 1", "Tempo: 72", "VERSE 1 2 3"])
    func otherNumbersAreNoChords(line: String) throws {
        for reading in try [service(line), chordPro("{key: G}\n" + line)] {
            #expect(reading.song.lines.allSatisfy { $0.chordTexts.isEmpty } && reading.remarks.isEmpty, "\(reading)")
        }
    }

    // MARK: - Fingerings

    @Test(arguments: [
        "G: 320003", "Am x02210", "D (xx0232)", "D [xx0232]", "G = 320003  C = x32010", "Em - 022000", "C: 0003", "F#m7 2-4-2-2-2-2",
        "F# 2-4-4-3-2-2", "A x 0 2 2 2 0", "Chords: G 320003 Em 022000", "  H7 x21202",
    ])
    func fingeringsStayAsTheyStandAndAreNamed(line: String) throws {
        for reading in try [service("[G]a\n" + line + "\n[G]b"), chordPro("{key: G}\n[G]a\n" + line + "\n[G]b")] {
            #expect(try reading.song.written(in: Key("A")).shown == ["[A]a", "|" + line, "[A]b"])
            #expect(reading.remarks.map(\.reason) == [.fingering] && reading.remarks.allSatisfy(\.isUnmovedChord))
            #expect(try chordPro(reading.song.chordPro).song == reading.song)
        }
    }

    @Test func fingeringsInNotesAndTabsAreNamed() throws {
        let text = "{key: G}\n{c: D (xx0232)}\n{sot}\nG 320003\n{eot}"
        #expect(try chordPro(text).remarks.map(\.reason) == [.fingering, .fingering])
        #expect(try chordPro(text).song.written(in: Key("A")).shown == ["plain D (xx0232)", "tab: -", "|G 320003"])
    }

    @Test func chordsInBracketsInATabAreNamed() throws {
        let reading = try chordPro("{key: C}\n{sot}\n[C]  [F7] [G7] [C]\n[x2]\n{eot}\n[C]Word")
        #expect(reading.remarks.map(\.text) == ["[C]  [F7] [G7] [C]"] && reading.remarks.allSatisfy(\.isUnmovedChord))
        #expect(try reading.song.written(in: Key("D")).shown == ["tab: -", "|[C]  [F7] [G7] [C]", "|[x2]", "[D]Word"])
    }

    @Test(arguments: ["G x2", "G 2x", "G (4x)", "D (2024", "A 1999", "G C | x2"]) func repeatsAndYearsAreNoFingerings(line: String) throws {
        #expect(try service(line).remarks.allSatisfy { $0.reason != .fingering })
    }

    // MARK: - Small letters

    @Test(arguments: ["           fis", "fis        D", "C a", "g d A d", "cis7  fism", "d"])
    func linesOfGermanMinorChordsKeepTheirColumnsAndAreNamed(line: String) throws {
        let text = "E              A\nI only know\n\n" + line + "\nwhat God has planned"
        for reading in try [service(text), chordPro("{key: G}\n" + text)] {
            #expect(reading.remarks.map(\.reason) == [.maybeChords] && reading.remarks.allSatisfy(\.isUnmovedChord))
            #expect(reading.song.shown.suffix(2) == ["|" + line, "|what God has planned"])
            #expect(try chordPro(reading.song.chordPro).song == reading.song)
        }
    }

    @Test(arguments: ["a", "es", "As a", "hm hm", "be", "a dad"]) func smallWordsAreSung(line: String) throws {
        #expect(try service("[G]one\n" + line).song.shown == ["[G]one", line])
        #expect(try service("one\nd\ntwo").remarks.isEmpty)
    }

    // MARK: - Do, Re, Mi

    @Test(arguments: [("Do", "C"), ("Lam", "Am"), ("Sib", "Bb"), ("Fa# minor", "F#m"), ("Dom", "Cm"), ("Sol", "G"), ("Am", "Am")])
    func theKeyOfSuchASongMayBeNamedLikeItsChords(name: String, key: String) throws {
        let song = try chordPro("{key: \(name)}\n[Do]a [Fa]b [Sol]c").song
        #expect(song.key?.description == key)
        #expect(try song.written() == song && chordPro(song.chordPro).song == song)
    }

    @Test func linesOfDoReMiKeepTheirColumns() throws {
        let lines = ["DO         MI               LA-", "Forse, ho ancora sonno", "", "           SOL", "Entra nel gioco"]
        let text = lines.joined(separator: "\n")
        for reading in try [service(text), chordPro("{key: G}\n" + text)] {
            #expect(reading.remarks.map(\.reason) == [.solfege])
            #expect(reading.song.shown == lines.map { $0.isEmpty ? "" : "|" + $0 })
            #expect(try chordPro(reading.song.chordPro).song == reading.song)
        }
    }

    @Test(arguments: [
        "[Do]Noche de [Sol7]paz, [Do7]noche de [Fa]amor", "[DO]a [LAm]b [RE7]c [SOL/SI]d", "[Ré]a [Sib]b [Do#m]c",
        "Do      Sol   Lam\nNoche de paz", "[(Mim)]a [Re*]b [G]c",
    ])
    func chordsNamedDoReMiAreNamedAndNothingIsShownUnderAnotherKey(text: String) throws {
        for reading in try [service(text), chordPro("{key: G}\n" + text)] {
            #expect(reading.remarks.map(\.reason) == [.solfege], "\(reading.remarks)")
            #expect(reading.song.chords.isEmpty, "Do7 is no D diminished")
            #expect(throws: Trouble.self) { try reading.song.written(in: Key("A")) }
            #expect(throws: Trouble.self) { try reading.song.written(as: .numbers(.fromMajor)) }
            #expect(throws: Trouble.self) { try reading.song.written(capo: 2) }
            #expect(try reading.song.written(in: Key("G")).shown == reading.song.shown)
            #expect(try reading.song.named(.german).written().shown == reading.song.shown)
            #expect(try chordPro(reading.song.chordPro).song == reading.song)
        }
    }

    @Test(arguments: ["[C]Do [F]re [G]mi", "La la la\nLa la", "[G]Do Re [C]Mi", "[Do]a [C]b [G]c", "[Do7]a", "[Fine]a [Solo]b"])
    func lettersPrevail(text: String) throws {
        let reading = try chordPro("{key: C}\n" + text)
        #expect(!reading.remarks.contains { $0.reason == .solfege })
        #expect(throws: Never.self) { try reading.song.written(in: Key("D")) }
    }
}
