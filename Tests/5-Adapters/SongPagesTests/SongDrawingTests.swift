import Model
import SongPages
import Testing

/// PDFs of songs, as other programs read them.
@Suite(.timeLimit(.minutes(5)))
struct SongDrawingTests {
    @Test func theSameSheetHasTheSameBytes() throws {
        let sheet = SongSheet(SongText("VERSE 1\nA[G]mazing [C]grace", title: "Amazing Grace", key: "G"), SongView(key: "A"))
        let drawing = try SongDrawing(of: sheet)
        #expect(drawing.pages == 1 && drawing.remarks.isEmpty && drawing.pdf.starts(with: Array("%PDF-".utf8)))
        // The bytes must not contain the time of drawing.
        #expect(String(decoding: drawing.pdf, as: UTF8.self).contains("20000101000000Z"))
        // Another song that is drawn in between makes no difference.
        _ = try SongDrawing(of: SongSheet(SongText("Other [F]words", title: "Other", key: "F")))
        #expect(try SongDrawing(of: sheet).pdf == drawing.pdf)
    }

    /// If a drawing sometimes used another font, its words would move.
    @Test func eachFaceIsOneFontInEveryDrawing() throws {
        let text = "VERSE 1\nA[G]mazing [C]grace, how [D7]sweet\n{{{softly}}}\nCHORUS\n[Em]That saved a [Am]wretch"
        var fonts: Set<Substring> = []
        for drawing in 0..<40 {
            let song = SongText(text, title: "Amazing \(drawing)", key: "G")
            let pdf = String(decoding: try SongDrawing(of: SongSheet(song, SongView(key: "A"))).pdf, as: UTF8.self)
            // A font's name begins with six letters that identify its subset.
            fonts.formUnion(pdf.matches(of: /\/BaseFont \/[A-Z]{6}\+([^\s]+)/).map(\.1))
        }
        #expect(!fonts.isEmpty && fonts.count <= 3, "\(fonts)")
    }

    /// The key of the chords as drawn, not as they sound.
    @Test(arguments: [
        (SongView(), "G"), (SongView(key: "Bb"), "Bb"), (SongView(key: "G", capo: 3), "E"), (SongView(key: "B", writing: .german), "B"),
        (SongView(key: "Db", writing: .numbers), "Db"),
    ])
    func itsKeyIsTheOneThatTheChordsStandIn(view: SongView, key: String) throws {
        #expect(try SongDrawing(of: SongSheet(SongText("VERSE 1\nA[G]mazing", title: "x", key: "G"), view)).key == key)
        #expect(try SongDrawing(of: SongSheet(SongText("VERSE 1\nA[G]mazing", title: "x"), view)).key == nil)
    }

    @Test func lettersThatNoFontHasAreNamed() throws {
        // No font should have a glyph for this character.
        let drawing = try SongDrawing(of: SongSheet(SongText("A\u{10FFF0}men", title: "x")))
        #expect(drawing.remarks == ["No font here has all letters of 'A\u{10FFF0}men'; install one that has them, such as Noto."])
    }

    @Test func aSongWithoutWordsIsAPage() throws {
        for text in ["", "\n\n", "VERSE 1", "{{ PAGE_BREAK }}"] {
            #expect(try SongDrawing(of: SongSheet(SongText(text, title: ""))).pages == 1)
        }
    }
}
