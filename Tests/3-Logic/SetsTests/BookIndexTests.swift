import Model
import Sets
import Testing

/// The tables of songs that people keep beside their books.
@Suite(.timeLimit(.minutes(5)))
struct BookIndexTests {
    private func shown(_ text: String) -> [String] {
        BookIndex(text).songs.map { "\($0.title)|\($0.book)|\($0.page.number)" }
    }

    @Test(
        arguments: [
            "Title,Book Name,Start Page,End Page,Composer\nSo What,Real Book,12,13,Davis\n\"Round, Midnight\",Real Book,7,,Monk\n",
            "\u{feff}title;book;page\r\nSo What;Real Book;12\r\n\"Round, Midnight\";Real Book;7\r\n",
            "Start Page\tComposer\tTitle\tBook Name\n12\tDavis\tSo What\tReal Book\n7\tMonk\tRound, Midnight\tReal Book",
            "So What,Real Book,12,13,Davis\n\"Round, Midnight\",Real Book,7-8\n", "So What;Real Book;12\rRound, Midnight;Real Book;7",
        ])
    func tablesAreReadAsTheyAreWritten(text: String) {
        #expect(shown(text) == ["So What|Real Book|12", "Round, Midnight|Real Book|7"])
    }

    @Test func titleAndPageAreEnough() {
        #expect(shown("So What,12\nSolar,13 \n") == ["So What||12", "Solar||13"])
    }

    @Test func quotesMayHoldAnything() {
        let text = "Title,Page\n\"He said \"\"So, what\"\"\",1\n\"two\nlines\", 2\n  \"spaced\" ,4\n\"never closed,3\n"
        #expect(shown(text).prefix(3) == ["He said \"So, what\"||1", "two lines||2", "spaced||4"])
    }

    @Test(
        arguments: [
            "", "\n\n\n", ",,,", "Title,Page", "Title,Page\n,3\nSolar,\nSolar,0\nSolar,-1\nSolar,x\nSolar,99999999999999999999\n", "\"",
            "\"\"\"",
            "\u{0}\u{1}\u{2}", "no table at all, only words\n", "Title,Page\nSolar", ";;;\n,,,\n\t\t",
        ])
    func rubbishHasNoSongs(text: String) {
        #expect(shown(text) == [])
    }

    @Test func titlesHaveNoCharactersThatControlATerminal() {
        #expect(shown("Title,Page\nSo\u{1b}[2J What\u{202e},1") == ["So[2J What||1"])
    }

    @Test func ofAHugeTableTheFirstSongsAreRead() {
        let text = "Title,Book Name,Start Page\n" + (1...25_000).map { "Song \($0),Book,\($0)\n" }.joined()
        let songs = BookIndex(text).songs
        #expect(songs.count == BookIndex.mostSongs && songs.last?.title == "Song 20000")
        #expect(BookIndex(String(repeating: "\"", count: 100_000)).songs.isEmpty)
    }

    @Test func aSongIsInThePDFThatItsBookNamesOrElseInTheTablesOwn() {
        func pdf(_ name: String) -> SetFile {
            SetFile(path: "/m/\(name)", kind: .pdf, stamp: FileStamp(device: 1, inode: 1, size: 1, modified: 1, changed: 1))
        }
        let index = BookIndex("Title,Book Name,Page\nA,real BOOK,1\nB,Hymns.pdf,2\nC,,3\nD,Unknown,4\n")
        let places = index.places(named: "songs.csv", beside: [pdf("Real Book.pdf"), pdf("Hymns.pdf"), pdf("Songs.pdf")])
        #expect(places.map { "\($0.song.title) \($0.pdf.name)" } == ["A Real Book.pdf", "B Hymns.pdf", "C Songs.pdf", "D Songs.pdf"])
        #expect(index.places(named: "other.csv", beside: [pdf("Hymns.pdf")]).map(\.song.title) == ["B"])
    }
}
