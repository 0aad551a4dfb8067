import Model
import Songs
import Testing

@testable import SongPages

/// Words that are read from the right, with the first chord at the right.
@Suite(.timeLimit(.minutes(5)))
struct ReadingDirectionTests {
    private func rows(_ line: String, letters: Double = 60, layout: Int = SongSheet.layoutVersion) throws -> (rows: [Row], slots: [Slot]) {
        let copies = try SongCopies(of: SongSheet(SongText(line, title: "x", key: "C")))
        let lines = SongLines(of: copies, measure: EvenMeasure())
        let flow = SongRows(lines, width: letters / 2, measure: EvenMeasure(), layout: layout).flow
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
        let plain = try self.rows(line, layout: 2).rows[0]
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
        #expect(try rows(line).rows == rows(line, layout: 2).rows)
    }

    /// Words of another script keep their own order, with their chords above them.
    @Test func wordsThatAreReadFromTheLeftStayInTheirOrder() throws {
        let (rows, slots) = try rows("[C]שיר [F]glory [Am]hal[D]le [G]חדש")
        let row = try #require(rows.first)
        func x(_ chord: String) -> Double { row.chords.first { slots[$0.slot].text == chord }?.x ?? -1 }
        #expect(x("C") > x("D") && x("D") > x("Am") && x("Am") > x("F") && x("F") > x("G"))
        let (glory, end) = (try #require(row.runs.first { $0.text == "glory hal" }), try #require(row.runs.first { $0.text == "le" }))
        #expect(glory.x == x("F") && end.x == x("D") && glory.x < end.x && glory.isFromLeft && end.isFromLeft)
        #expect(try SongLayout(SongText("[C]שיר [F]glory [Am]be [G]חדש", title: "x", key: "C")).facts.layout == 4)
    }

    @Test(arguments: [
        "[C]שיר [F]glory [Am]hal[D]le [G]חדש", "[Cmaj7]ש glory [F#m7]be [G]חדש", "[C]שיר [F]a [Cmaj7]b חדש", "[C]ש be [F#m7b5]it [G]ש",
    ])
    func wordsOfTwoDirectionsLieBesideEachOther(line: String) throws {
        let (rows, slots) = try rows(line)
        let (runs, chords) = (rows[0].runs.sorted { $0.x < $1.x }, rows[0].chords.sorted { $0.x < $1.x })
        #expect(zip(runs, runs.dropFirst()).allSatisfy { $0.x + $0.width <= $1.x + 1e-9 })
        #expect(zip(chords, chords.dropFirst()).allSatisfy { $0.x + slots[$0.slot].room + RowSetter.chordGap <= $1.x + 1e-9 })
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
