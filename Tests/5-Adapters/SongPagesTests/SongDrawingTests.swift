import Model
import SongPages
import Testing

/// PDFs of songs, as other programs read them.
@Suite(.timeLimit(.minutes(1)))
struct SongDrawingTests {
    @Test func theSameSheetHasTheSameBytes() throws {
        let sheet = SongSheet(SongText("VERSE 1\nA[G]mazing [C]grace", title: "Amazing Grace", key: "G"), SongView(key: "A"))
        let drawing = try SongDrawing(of: sheet)
        #expect(drawing.pages == 1 && drawing.remarks.isEmpty && drawing.pdf.starts(with: Array("%PDF-".utf8)))
        // Nor do they say when it was drawn.
        #expect(String(decoding: drawing.pdf, as: UTF8.self).contains("20000101000000Z"))
        // Whatever was drawn in between.
        _ = try SongDrawing(of: SongSheet(SongText("Other [F]words", title: "Other", key: "F")))
        #expect(try SongDrawing(of: sheet).pdf == drawing.pdf)
    }

    @Test func lettersThatNoFontHasAreNamed() throws {
        // Nobody is to have a letter at this place.
        let drawing = try SongDrawing(of: SongSheet(SongText("A\u{10FFF0}men", title: "x")))
        #expect(drawing.remarks == ["No font here has all letters of 'A\u{10FFF0}men'; install one that has them, such as Noto."])
    }

    @Test func aSongWithoutWordsIsAPage() throws {
        for text in ["", "\n\n", "VERSE 1", "{{ PAGE_BREAK }}"] {
            #expect(try SongDrawing(of: SongSheet(SongText(text, title: ""))).pages == 1)
        }
    }
}
