import Model
import Songs
import Testing

@testable import SongPages

/// Words that are read from the right, with the first chord at the right.
@Suite(.timeLimit(.minutes(5)))
struct ReadingDirectionTests {
    private func rows(_ line: String, letters: Double = 60, readsFromRight: Bool = true) throws -> (rows: [Row], slots: [Slot]) {
        let copies = try SongCopies(of: SongSheet(SongText(line, title: "x", key: "C")))
        let lines = SongLines(of: copies, measure: EvenMeasure())
        let flow = SongRows(lines, width: letters / 2, measure: EvenMeasure(), readsFromRight: readsFromRight).flow
        let rows = flow.flatMap { step -> [Row] in
            guard case .part(let stanzas) = step else { return [] }
            return stanzas.joined().flatMap(\.rows)
        }
        return (rows, lines.slots)
    }

    @Test(arguments: ["[C]שיר [G]חדש", "[C]نشيد [G]جديد", "12 [C]שיר abc [G]חדש"]) func theFirstChordIsAtTheRight(line: String) throws {
        let (rows, slots) = try rows(line)
        let row = try #require(rows.first)
        #expect(rows.count == 1 && row.chords.map(\.slot) == [0, 1] && row.chords[0].x > row.chords[1].x)
        let ends = row.runs.map { $0.x + $0.width }
        #expect(ends.max() == 30, "the words begin at the right edge")
        // Each chord begins where its word does: at the right.
        let chordEnds = row.chords.map { $0.x + slots[$0.slot].room }
        let plain = try self.rows(line, readsFromRight: false).rows[0]
        #expect(zip(chordEnds, plain.chords).allSatisfy { abs($0 + $1.x - 30) < 1e-9 })
    }

    @Test func aLineThatIsBrokenGoesOnFurtherIn() throws {
        let (rows, _) = try rows("שיר חדש נשיר לאל בקול רם", letters: 12)
        #expect(rows.count > 1 && rows.allSatisfy { $0.rightEdge == 6 })
        let ends = rows.map { row in row.runs.map { $0.x + $0.width }.max() ?? 0 }
        #expect(abs(ends[0] - 6) < 1e-9 && ends.dropFirst().allSatisfy { abs($0 - 6 + RowSetter.hanging) < 1e-9 })
    }

    /// The first letter decides, so a Hebrew word in an English line moves nothing.
    @Test(arguments: ["[C]one [G]two", "[C]shalom [G]שלום", "[C] [G] [C]", "[C]1 [G]2"])
    func allOtherLinesAreAsTheyWere(line: String) throws {
        #expect(try rows(line).rows == rows(line, readsFromRight: false).rows)
    }

    /// Marks on a song whose words have moved belong to the former layout.
    @Test func onlySongsWithSuchWordsHaveAnotherPlacing() throws {
        func layout(_ text: String) throws -> Int { try SongLayout(SongText(text, title: "x", key: "C")).facts.layout }
        #expect(try layout("[C]שיר [G]חדש") == 3 && layout("[C]one [G]two") == 1)
    }

    @Test func suchASongIsDrawn() throws {
        let drawing = try SongDrawing(of: SongSheet(SongText("VERSE 1\n[C]שיר [G]חדש <b>abc</b>", title: "שיר", key: "C")))
        #expect(drawing.pages == 1)
    }
}
