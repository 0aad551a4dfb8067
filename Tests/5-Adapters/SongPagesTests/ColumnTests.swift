import Model
import Songs
import TestSupport
import Testing

@testable import SongPages

/// How rows are divided into columns and pages.
@Suite(.timeLimit(.minutes(5)))
struct ColumnTests {
    private func part(_ rows: Int, stanzas: Int = 1) -> [Stanza] {
        (0..<stanzas).map { _ in (0..<rows).map { Group(rows: [Row()], keepsNext: $0 == 0) } }
    }

    private let rowHeight = Row().height

    @Test func aPartThatFitsAColumnIsNotBroken() {
        var random = SeededGenerator(seed: 5)
        for _ in 0..<300 {
            let (columns, height) = (Int.random(in: 1...2, using: &random), Double.random(in: 5...20, using: &random))
            let parts = (0..<8).map { _ in part(Int.random(in: 1...9, using: &random), stanzas: Int.random(in: 1...3, using: &random)) }
            let flow = ColumnFlow(parts.map { .part($0) }, columns: columns, firstHeight: height, height: height)
            var places = flow.places[...]
            for part in parts {
                let own = places.prefix(part.reduce(0) { $0 + $1.count })
                places = places.dropFirst(own.count)
                let whole = part.reduce(0) { $0 + $1.height } + ColumnFlow.stanzaGap * Double(part.count - 1)
                let columns = Set(own.map { [$0.page, $0.column] })
                if whole <= height { #expect(columns.count == 1) }
                // Even where a block must be broken, its heading stays with the next row.
                for (row, next) in zip(own, own.dropFirst()) where row.y == 0 && part.count == 1 && row == own.first {
                    #expect(next.column == row.column && next.page == row.page)
                }
            }
            #expect(places.isEmpty && flow.places.allSatisfy { $0.y + rowHeight <= height + 1e-6 })
        }
    }

    @Test func everyRowIsBelowTheOneBeforeIt() throws {
        for song in try SampleSong.all {
            let places = try SongLayout(song).fit.places
            for (place, next) in zip(places, places.dropFirst()) {
                let isBelow = next.page == place.page && next.column == place.column && next.y >= place.y + place.row.height - 1e-9
                #expect(isBelow || next.y == 0 && (next.page, next.column) > (place.page, place.column))
            }
        }
    }

    @Test func twoColumnsAreEquallyLong() throws {
        let verses = (1...9).map { "VERSE \($0)\nshort [C]line\nand [G]another\nand a [F]third" }.joined(separator: "\n\n")
        var song = SongText(verses, title: "x", key: "C")
        song.columns = 2
        let fit = try SongLayout(song).fit
        let rows = (0...1).map { column in fit.places.count { $0.column == column } }
        // Each verse has four rows.
        #expect(fit.pages == 1 && abs(rows[0] - rows[1]) <= 4, "\(rows)")
    }

    @Test func balanceTearsNoPartApart() throws {
        let long = "VERSE 1\n" + String(repeating: "a [C]line\n", count: 12)
        var song = SongText(long + "CHORUS\n[F]short\n", title: "x", key: "C")
        song.columns = 2
        let places = try SongLayout(song).fit.places
        #expect(Set(places.prefix(13).map(\.column)) == [0])
    }

    @Test func noWordStandsAloneWhereSlightlySmallerLettersHelp() throws {
        let line = String(repeating: "sing ", count: 11)
        let verses = (1...4).map { "VERSE \($0)\n\(line)[C]on\n[G]short" }.joined(separator: "\n\n")
        let fit = try SongLayout(SongText(verses, title: "x", key: "C")).fit
        #expect(!fit.places.contains { $0.row.runs.first?.x == RowSetter.hanging && $0.row.isOneWord })
    }

    /// A word that stands alone in large letters is not worth a size.
    @Test func aSmallStepOfTheLettersKeepsLinesWhole() throws {
        let lines = (1...30).map { "a [C]line of the song number \($0 % 10)" } + ["a [C]line of the song number 555"]
        var song = SongText(lines.joined(separator: "\n"), title: "x", key: "C")
        song.columns = 2
        let measured = SongLines(of: try SongCopies(of: SongSheet(song)), measure: EvenMeasure())
        let layout = try SongLayout(song)
        let former = PageFit(measured, of: song, on: layout.labels.frame, measure: EvenMeasure(), layout: 3)
        func continued(_ fit: PageFit) -> Int { fit.places.count { $0.row.runs.first?.x == RowSetter.hanging } }
        #expect(continued(former) == 1 && continued(layout.fit) == 0)
        #expect(layout.fit.size >= former.size * 0.9 && layout.facts.layout == 4)
    }

    private func tablature(_ letters: Int) -> String {
        "{sot}\n" + ["e", "B", "G"].map { "\($0)|" + String(repeating: "-0-2", count: letters / 4) }.joined(separator: "\n") + "\n{eot}\n"
    }

    private func withTablature(_ letters: Int) -> SongText {
        let verse = "{sov}\n" + String(repeating: "a [C]line that is sung\n", count: 6) + "{eov}\n"
        let text = "{key: C}\n" + verse + verse + verse + tablature(letters) + verse + verse
        return SongText(text, dialect: .chordPro, title: "x")
    }

    @Test func tablatureHasTheWholeWidthBetweenColumns() throws {
        let layout = try SongLayout(withTablature(100))
        let fit = layout.fit
        #expect(fit.pages == 1 && fit.columns == 2 && layout.facts.layout == 5)
        let tab = fit.places.filter { $0.row.runs.first?.face.isMono == true }
        let frame = layout.labels.frame
        #expect(tab.count == 3 && tab.allSatisfy { $0.column == 0 && $0.row.end * fit.size > frame.columnWidth(2) })
        #expect(tab.allSatisfy { $0.row.end * fit.size <= frame.textWidth + 1e-6 && $0.row.runs[0].text.count == 102 })
        // Nothing of either column lies beside it.
        let (top, bottom) = (tab[0].y, tab[2].y + tab[2].row.height)
        let words = fit.places.filter { $0.row.runs.first?.face.isMono != true }
        #expect(words.allSatisfy { $0.y + $0.row.height <= top + 1e-9 || $0.y >= bottom - 1e-9 })
        for edge in [{ $0 < top }, { $0 >= bottom }] as [(Double) -> Bool] {
            #expect(Set(words.filter { edge($0.y) }.map(\.column)) == [0, 1], "what is above and below is in columns")
        }
    }

    /// The strings of a system that is broken line by line do not belong together any more.
    @Test(arguments: [40, 100, 180, 240]) func noLineOfATablatureIsBroken(letters: Int) throws {
        for columns in [1, 2, nil] {
            var song = withTablature(letters)
            song.columns = columns
            let tab = try SongLayout(song).rows.filter { $0.runs.first?.face.isMono == true }
            #expect(tab.count == 3 && Set(tab.map { $0.runs[0].face.size }).count == 1)
        }
    }

    @Test func tablatureAddsNoPage() throws {
        for letters in [40, 100, 180] {
            for verses in [2, 5, 6, 7, 8, 12] {
                let verse = "{sov}\n" + String(repeating: "a [C]line that is sung\n", count: 8) + "{eov}\n"
                let text = "{key: C}\n" + String(repeating: verse + tablature(letters), count: verses)
                let song = SongText(text, dialect: .chordPro, title: "x")
                let layout = try SongLayout(song)
                let lines = SongLines(of: try SongCopies(of: SongSheet(song)), measure: EvenMeasure())
                let former = PageFit(lines, of: song, on: layout.labels.frame, measure: EvenMeasure(), layout: 3)
                #expect(layout.fit.pages <= former.pages)
                let (height, frame) = (layout.labels.frame.firstBottom - layout.labels.frame.firstTop, layout.labels.frame)
                let most = max(height, frame.bottom - frame.top)
                #expect(layout.fit.places.allSatisfy { ($0.y + $0.row.height) * layout.fit.size <= most + 1e-6 })
            }
        }
    }

    @Test func breaksOfTheTextAreKept() throws {
        let song = SongText("VERSE 1\none\nCOLUMN_BREAK\nVERSE 2\ntwo\nPAGE_BREAK\nVERSE 3\nthree", title: "x", key: "C")
        let places = try SongLayout(song).fit.places
        #expect(places.map { [$0.page, $0.column] } == [[0, 0], [0, 0], [0, 1], [0, 1], [1, 0], [1, 0]])
        var single = song
        single.columns = 1
        #expect(try SongLayout(single).fit.places.map(\.page) == [0, 0, 1, 1, 2, 2])
    }

    @Test func aHeadingGoesOverTheBreakBelowIt() throws {
        let song = SongText("VERSE 1\none\nVERSE 2\nPAGE_BREAK\ntwo", title: "x", key: "C")
        #expect(try SongLayout(song).fit.places.map { [$0.page, $0.row.runs.count] } == [[0, 1], [0, 1], [1, 1], [1, 1]])
    }

    @Test func aSongIsAsLargeAsFitsItsPage() throws {
        #expect(try SongLayout(SampleSong.minor).fit.size == 20)
        let sizes = try [3, 5, 7, 9].map { verses in try SongLayout(SampleSong.long(verses: verses)).fit }
        #expect(sizes.allSatisfy { $0.pages == 1 && PageFit.sizes.contains($0.size) })
        #expect(sizes.map(\.size) == sizes.map(\.size).sorted(by: >) && sizes[3].size < 20)
        // The letters shrink to about 10 points before a second page is added; then they are as large as fits on both.
        let fits = try (10...24).map { try SongLayout(SampleSong.long(verses: $0)).fit }
        let second = try #require(fits.firstIndex { $0.pages == 2 })
        #expect(second > 0 && fits[second - 1].size < 11 && fits[second].size > 11)
        #expect(fits.map(\.pages) == fits.map(\.pages).sorted())
    }

    @Test func linesAreRatherSmallThanBroken() throws {
        let line = "A line that is as [G]long as the page is wide in one column, in [C]large letters"
        let fit = try SongLayout(SampleSong.long(verses: 1, line: line)).fit
        #expect(fit.columns == 1 && fit.size < 20 && fit.places.allSatisfy { $0.row.runs.allSatisfy { $0.x == 0 } })
    }

    /// One line must not make a whole song small.
    @Test func aLineMuchLongerThanTheRestIsWrapped() throws {
        let long = String(repeating: "very ", count: 13) + "long"
        let song = SongText("short [C]line\nand [G]another\n\(long)", title: "x", key: "C")
        let copies = try SongCopies(of: SongSheet(song))
        let lines = SongLines(of: copies, measure: EvenMeasure())
        let frame = try SongLayout(song).labels.frame
        let fits = [2, 3].map { PageFit(lines, of: song, on: frame, measure: EvenMeasure(), layout: $0) }
        #expect(fits[1].size >= fits[0].size * 1.1 && fits[1].pages == 1)
        #expect(try SongLayout(song).facts.layout == 3)
        // Where all lines are long, none is much longer.
        let even = SongText("\(long)\n\(long)\n\(long)", title: "x", key: "C")
        #expect(try SongLayout(even).facts.layout == 1)
    }

    /// Three parts of more than half a column each do not fit two columns whole.
    @Test func aPartIsDividedRatherThanAPageAdded() throws {
        let verse = String(repeating: "a [C]line\n", count: 18)
        let song = SongText((1...3).map { "VERSE \($0)\n\(verse)" }.joined(separator: "\n"), title: "x", key: "C")
        let lines = SongLines(of: try SongCopies(of: SongSheet(song)), measure: EvenMeasure())
        let layout = try SongLayout(song)
        let former = PageFit(lines, of: song, on: layout.labels.frame, measure: EvenMeasure(), layout: 2)
        #expect(former.pages == 2 && layout.fit.pages == 1 && layout.fit.columns == 2 && layout.facts.layout == 3)
        // A heading stays with its first line.
        for (place, next) in zip(layout.fit.places, layout.fit.places.dropFirst()) where place.row.runs.first?.face == .heading {
            #expect(place.column == next.column)
        }
    }

    @Test func noSongTakesMorePagesThanBefore() throws {
        for song in try SampleSong.all + (10...24).map({ SampleSong.long(verses: $0) }) {
            let layout = try SongLayout(song)
            let lines = SongLines(of: try SongCopies(of: SongSheet(song)), measure: EvenMeasure())
            let former = PageFit(lines, of: song, on: layout.labels.frame, measure: EvenMeasure(), layout: 2)
            #expect(layout.fit.pages <= former.pages, "\(song.title)")
        }
    }

    @Test func aTextMaySayHowLargeItIs() throws {
        var song = SampleSong.grace
        (song.size, song.columns, song.paper) = (12, 1, .letter)
        let layout = try SongLayout(song)
        #expect(layout.fit.size == 12 && layout.fit.columns == 1 && layout.labels.frame.width == 612)
        var long = SampleSong.long(verses: 6)
        (long.size, long.columns) = (16, 1)
        let smaller = try SongLayout(long)
        #expect(smaller.fit.pages == 1 && smaller.fit.size < 16, "it gives way before there is a second page")
    }

    @Test func whatIsNoSongIsRefused() throws {
        let sheet = SongSheet(SampleSong.long(verses: 600))
        do {
            _ = try SongDrawing(of: sheet)
            Issue.record("it was drawn")
        } catch {
            #expect(error.description.contains("at most 30 are drawn") && error.description.contains("make several songs"))
        }
    }

    @Test func noWordIsLost() throws {
        for song in try SampleSong.all {
            let copies = try SongCopies(of: SongSheet(song))
            var wanted: [String] = []
            for case .words(let words) in copies.shown.sections.flatMap(\.lines) { wanted.append(words.text) }
            let found = try SongLayout(song).rows.flatMap(\.runs).map(\.text).joined().filter { !$0.isWhitespace }
            var rest = found[...]
            for words in wanted {
                let letters = words.filter { !$0.isWhitespace }
                while !rest.isEmpty, !rest.hasPrefix(letters) { rest = rest.dropFirst() }
                #expect(rest.hasPrefix(letters), "\(words)")
                rest = rest.dropFirst(letters.count)
            }
        }
    }
}
