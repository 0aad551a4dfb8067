import Model
import Songs
import Testing

@testable import SongPages

/// Chord diagrams on a song's pages.
@Suite(.timeLimit(.minutes(5)))
struct DiagramTests {
    private func song(verses: Int, for instrument: SongText.Diagrams?) -> SongText {
        var song = SampleSong.long(verses: verses)
        song.diagrams = instrument
        return song
    }

    private func remarks(_ text: String, _ instrument: SongText.Diagrams?, _ view: SongView = SongView()) throws -> [String] {
        var song = SongText("{key: G}\n" + text, dialect: .chordPro, title: "x")
        song.diagrams = instrument
        return try SongDrawing(of: SongSheet(song, view)).remarks.filter { $0.contains("iagram") || $0.contains("define") }
    }

    @Test func nobodyGetsThemUnasked() throws {
        let plain = song(verses: 2, for: nil)
        #expect(try SongLayout(plain).diagrams == nil)
        let text = "{define: G frets 3 2 0 0 0 3}\n[G]a"
        #expect(try remarks(text, nil).count == 1 && remarks(text, .guitar) == [], "what is drawn is not named")
        #expect(try SongDrawing(of: SongSheet(plain)).pdf != SongDrawing(of: SongSheet(song(verses: 2, for: .guitar))).pdf)
    }

    @Test(arguments: SongText.Diagrams.allCases) func theyStandBelowTheWordsWithoutAnotherPage(instrument: SongText.Diagrams) throws {
        for verses in 1...24 {
            let (plain, layout) = (try SongLayout(song(verses: verses, for: nil)), try SongLayout(song(verses: verses, for: instrument)))
            #expect(layout.fit.pages == plain.fit.pages)
            guard let diagrams = layout.diagrams else {
                #expect(layout.fit.isSame(as: plain.fit) && layout.remarks.count == 1, "\(verses)")
                continue
            }
            #expect(diagrams.fit(below: layout.fit, on: layout.labels.frame) && layout.remarks.isEmpty)
            #expect(layout.facts.diagrams == (layout.fit.isSame(as: plain.fit) ? nil : instrument))
        }
        #expect(try SongLayout(song(verses: 1, for: instrument)).fit.isSame(as: SongLayout(song(verses: 1, for: nil)).fit))
    }

    /// Marks drawn without diagrams stay right where no word made room for them.
    @Test func onlyWordsThatMadeRoomHaveAnotherPlacing() throws {
        let (plain, other) = (SongSheet(song(verses: 2, for: nil)), SongSheet(song(verses: 2, for: .guitar)))
        #expect(plain.song.digest != other.song.digest, "it is drawn anew")
        #expect(plain.placing(layout: 1) == other.placing(layout: 1))
        #expect(plain.placing(layout: 1) != other.placing(layout: 1, diagrams: .guitar))
    }

    @Test func everyKeyHasTheWordsAtTheSamePlaces() throws {
        for verses in [2, 7, 9] {
            let song = song(verses: verses, for: .guitar)
            let plain = try SongLayout(song).skeleton
            for key in SameEverywhereTests.majors {
                for writing in [SongView.Writing.letters, .numbers] {
                    #expect(try SongLayout(song, SongView(key: key, writing: writing)).skeleton == plain, "\(key)")
                }
            }
        }
    }

    @Test func whatHasNoDiagramIsNamed() throws {
        #expect(try remarks("[G]a [C7#9]b [D/C#]c", .ukulele) == ["No diagram: C7#9, D/C#."])
        #expect(try remarks("[G]a [C7#9]b", .ukulele, SongView(writing: .numbers)) == [])
        #expect(try remarks("{diagrams: off}\n[C7#9]b", .guitar) == [])
    }
}
