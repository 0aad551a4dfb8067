import Model
import Songs
import Testing

@testable import SongPages

/// What a page says around a song.
@Suite(.timeLimit(.minutes(5)))
struct SheetLabelTests {
    private func labels(_ text: String, _ view: SongView = SongView(), key: String? = nil) throws -> SheetLabels {
        let sheet = SongSheet(SongText(text, dialect: .chordPro, title: "x", key: key), view)
        return SheetLabels(sheet.song, try SongCopies(of: sheet), measure: EvenMeasure())
    }

    private func copies(_ text: String, _ view: SongView = SongView()) throws -> SongCopies {
        try SongCopies(of: SongSheet(SongText(text, dialect: .chordPro, title: "x"), view))
    }

    private func texts(_ text: String, _ view: SongView = SongView(), key: String? = nil) throws -> [String] {
        try labels(text, view, key: key).first.map(\.text)
    }

    @Test func everyDetailIsOnThePage() throws {
        let texts = try texts(
            """
            {title: Grace}
            {subtitle: A hymn}
            {artist: First}
            {artist: Second}
            {composer: Tune}
            {lyricist: Words}
            {arranger: Third}
            {copyright: 1779}
            {ccli: 22025}
            {album: Olney}
            {year: 1779}
            {duration: 3:20}
            {tempo: 90}
            {time: 3/4}
            [G]one
            """)
        let page = texts.joined(separator: " ")
        let people = ["First, Second", "music: Tune", "words: Words", "arr. Third"]
        for word in people + ["Grace", "A hymn", "CCLI 22025", "Olney", "1779", "3:20", "90 bpm", "3/4"] {
            #expect(page.contains(word), "\(word)")
        }
    }

    @Test func aCapoNeedsNoKey() throws {
        #expect(try texts("[G]a [C]b [D]c [G]d", SongView(capo: 2)).contains("Capo 2"))
        #expect(try texts("{key: G}\n[G]a", SongView(capo: 2)).contains("Capo 2 · shapes in F"))
    }

    /// The corner in which the key is looked for.
    @Test func whereNoKeyIsStatedALikelyOneIsOffered() throws {
        #expect(try texts("[G]a [C]b [D]c [G]d").contains("looks like G"))
        #expect(try texts("[G]a [C]b [D]c [G]d", SongView(from: "G")).contains("G"))
        #expect(try !texts("{key: D}\n[G]a [C]b [D]c [G]d").contains { $0.hasPrefix("looks") })
    }

    @Test func whatDidNotMoveIsNamedOnceTheOthersMovedAndItsRoomIsAlwaysFree() throws {
        let text = "{key: G}\n[G]one [Bbx7]two\nG C D twice"
        let (there, moved) = (try labels(text), try labels(text, SongView(key: "A")))
        #expect(!there.first.contains { $0.text.hasPrefix("Not moved") })
        #expect(moved.first.contains { $0.text == "Not moved to this key: Bbx7; G C D twice" })
        #expect(there.frame == moved.frame && there.rule == moved.rule)
    }

    @Test func tablatureInAnotherKeyThanTheChordsIsNamedOnce() throws {
        let tab = "{sot}\ne|--3--|\nB|--0--|\n{eot}"
        let text = "{key: G}\n[G]one [B7]two\n\(tab)\n\(tab)"
        for view in [SongView(key: "A"), SongView(capo: 2), SongView(key: "A", writing: .numbers)] {
            #expect(try texts(text, view).contains("Not moved to this key: tablature"), "\(view)")
            #expect(try copies(text, view).remarks == ["The tablature is the same in every key."])
        }
        for view in [SongView(), SongView(writing: .numbers), SongView(writing: .german)] {
            #expect(try !texts(text, view).contains { $0.hasPrefix("Not moved") } && copies(text, view).remarks.isEmpty, "\(view)")
        }
        #expect(try labels(text).frame == labels(text, SongView(key: "A")).frame && copies(text).facts.layout == 5)
        #expect(try copies("{key: G}\n[G]one\n" + tab.replacing("{sot}", with: "{sot-guitar}"), SongView(key: "A")).unmoved.isEmpty)
    }

    @Test func aSubtitleAndRightsMoveNoWordBetweenKeys() throws {
        let text = "{key: G}\n{subtitle: %{key} of all}\n{copyright: 1779}\n{c: in %{key}}\n[G]one"
        #expect(try labels(text).frame == labels(text, SongView(key: "Bb")).frame)
        #expect(try texts(text, SongView(key: "Bb")).contains("Bb of all"))
    }

    /// Charts that were drawn before keep their marks: only where words may have moved is the placing another one.
    @Test func onlySongsWhoseWordsMovedHaveAnotherPlacing() throws {
        func layout(_ text: String, _ dialect: SongText.Dialect = .service) throws -> Int {
            try SongCopies(of: SongSheet(SongText(text, dialect: dialect, title: "x", key: "G"))).facts.layout
        }
        #expect(try layout("VERSE 1\n[G]one\nG   C\ntwo words") == 1)
        #expect(try layout("Intro: G C D") == 2 && layout("{Intro: G C}") == 2 && layout("[G]one", .chordPro) == 2)
        #expect(try layout("[G]one [Bbx7]two") == 2 && layout("[*Rit.]one") == 2)
        let unkeyed = SongText("[G]a [C]b [D]c [G]d", title: "x")
        let layouts = try [SongView(), SongView(from: "G")].map { try SongCopies(of: SongSheet(unkeyed, $0)).facts.layout }
        #expect(layouts == [2, 2])
    }

    @Test func whatTheTextSaysIsKnownToWhoDrewIt() throws {
        func facts(_ text: String, _ view: SongView = SongView()) throws -> SongFacts {
            try SongDrawing(of: SongSheet(SongText(text, dialect: .chordPro, title: "x"), view)).facts
        }
        #expect(try facts("{key: G}\n{capo: 2}\n[G]a") == SongFacts(key: "G", capo: 2, layout: 2))
        let unknown = try facts("[G]a [C]b [D]c [G]d", SongView(from: "G"))
        #expect(unknown.key == nil && unknown.likelyKey == "G" && unknown.likelyReason?.contains("begins and ends with G") == true)
    }

    @Test func howOftenAChorusIsSungIsNotItsName() throws {
        for (name, heading) in [("2x", "CHORUS 2X"), ("(×2)", "CHORUS (×2)"), ("Final", "FINAL"), ("", "CHORUS")] {
            let song = SongText("{soc: One}\n[G]la\n{eoc}\n{chorus: \(name)}", dialect: .chordPro, title: "x", key: "G")
            #expect(try SongLayout(song).rows.last?.runs.map(\.text) == [heading])
        }
    }

    @Test func aStarOfAnAnnotationIsNotShown() throws {
        let copies = try SongCopies(of: SongSheet(SongText("[*Rit.]slow [*]star [*(2x)]two", dialect: .chordPro, title: "x")))
        #expect(SongLines(of: copies, measure: EvenMeasure()).slots.map(\.text) == ["Rit.", "*", "(2x)"])
    }
}
