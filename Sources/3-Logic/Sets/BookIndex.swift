public import Model

/// A list of the songs in books, as people write it for forScore and MobileSheets: a table with `Title,Book Name,Start Page,…`. Its cells
/// are separated by commas, semicolons or tabs, and may be in quotes. The line with the names of the columns may be missing.
public struct BookIndex: Hashable, Sendable {
    public struct Song: Hashable, Sendable {
        public let title: String
        /// The name of the book; empty if the table does not name it.
        public let book: String
        public let page: PageIndex

        public init(title: String, book: String = "", page: PageIndex) { (self.title, self.book, self.page) = (title, book, page) }
    }

    public private(set) var songs: [Song] = []

    /// More songs than these are left out.
    public static let mostSongs = 20_000
    /// Longer cells are cut: nobody reads that much of a title.
    fileprivate static let longestCell = 1000

    /// Reads a table. Rows without a title or a page are left out.
    public init(_ text: String) {
        var rows = Rows(text)
        guard let first = rows.next() else { return }
        let columns = Columns(first)
        if columns == nil, let song = Columns().song(in: first) { songs.append(song) }
        while songs.count < Self.mostSongs, let row = rows.next() {
            if let song = (columns ?? Columns()).song(in: row) { songs.append(song) }
        }
    }

    /// What the columns hold.
    private struct Columns {
        var title = 0
        /// Without a line of names, the first number is the page, and the book stands before it.
        var book: Int?
        var page: Int?
        private var areNamed = false

        init() {}

        /// Fails if a row is not a line with names.
        init?(_ row: [String]) {
            let names = row.map { $0.lowercased().filter(\.isLetter) }
            guard let page = names.firstIndex(where: ["startpage", "page", "start", "firstpage", "pagestart", "pages"].contains),
                let title = names.firstIndex(where: ["title", "song", "songtitle", "name", "piece"].contains)
            else { return nil }
            (self.title, self.page, areNamed) = (title, page, true)
            book = names.firstIndex(where: ["bookname", "book", "booktitle", "file", "filename", "pdf"].contains)
        }

        func song(in row: [String]) -> Song? {
            let page = page ?? row.indices.dropFirst().first { Self.number(row[$0]) != nil }
            guard let page, row.indices.contains(page), row.indices.contains(title), let number = Self.number(row[page]) else { return nil }
            let title = ChartPlaces.title(row[title])
            let book = areNamed ? book.flatMap { row.indices.contains($0) ? row[$0] : nil } : page > 1 ? row[1] : nil
            return title.isEmpty ? nil : Song(title: title, book: ChartPlaces.title(book ?? ""), page: PageIndex(number - 1))
        }

        /// A page's number, counted from 1; of several pages, as in `12-14`, the first.
        private static func number(_ text: String) -> Int? {
            let digits = text.prefix { $0.isASCII && $0.isNumber }
            let rest = text.dropFirst(digits.count).first
            guard rest == nil || rest == " " || rest == "-" || rest == "–", let number = Int(digits), number > 0,
                number <= PageIndex.greatest
            else { return nil }
            return number
        }
    }

    /// The rows of a table, with their cells.
    private struct Rows: IteratorProtocol {
        private let bytes: [UInt8]
        private let separator: UInt8
        private var place: Int

        init(_ text: String) {
            bytes = Array(text.utf8)
            place = bytes.starts(with: [0xef, 0xbb, 0xbf]) ? 3 : 0
            let line = bytes[place...].prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
            // Of equally frequent separators, the first is taken: there may be none at all.
            let candidates = [",", ";", "\t"].map { $0.utf8.first! }
            separator = candidates.max { one, other in line.count { $0 == one } < line.count { $0 == other } } ?? UInt8(ascii: ",")
        }

        mutating func next() -> [String]? {
            guard place < bytes.count else { return nil }
            var row: [String] = []
            while true {
                row.append(cell())
                guard place < bytes.count, bytes[place] == separator else { break }
                place += 1
            }
            // A line ends with one or two characters.
            if place < bytes.count, bytes[place] == UInt8(ascii: "\r") { place += 1 }
            if place < bytes.count, bytes[place] == UInt8(ascii: "\n") { place += 1 }
            return row
        }

        /// Reads to the end of the cell. Text after a closing quote belongs to the cell; a quote that is never closed ends with its line.
        private mutating func cell() -> String {
            var cell: [UInt8] = []
            while place < bytes.count, bytes[place] == UInt8(ascii: " ") { place += 1 }
            if place < bytes.count, bytes[place] == UInt8(ascii: "\""), let end = closing(after: place) {
                var at = place + 1
                while at < end {
                    cell.append(bytes[at])
                    // Of two quotes in a row, one is text.
                    at += bytes[at] == UInt8(ascii: "\"") ? 2 : 1
                }
                place = end + 1
            }
            while place < bytes.count, bytes[place] != separator, bytes[place] != UInt8(ascii: "\n"), bytes[place] != UInt8(ascii: "\r") {
                cell.append(bytes[place])
                place += 1
            }
            let text = String(decoding: cell.prefix(BookIndex.longestCell), as: UTF8.self)
            return text.last == " " ? String(text.reversed().drop { $0 == " " }.reversed()) : text
        }

        /// The place of the quote that closes the one at `start`; two quotes in a row stand for one in the text.
        private func closing(after start: Int) -> Int? {
            var at = start + 1
            let end = min(bytes.count, start + BookIndex.longestCell)
            while at < end {
                if bytes[at] == UInt8(ascii: "\"") {
                    guard at + 1 < bytes.count, bytes[at + 1] == UInt8(ascii: "\"") else { return at }
                    at += 1
                }
                at += 1
            }
            return nil
        }
    }
}

extension BookIndex {
    /// The PDFs of the songs: the one that a song's book names, or else the one that is called like the table's file.
    public func places(named file: String, beside pdfs: [SetFile]) -> [(song: Song, pdf: SetFile)] {
        let named = Dictionary(pdfs.map { (SongTitle.withoutEnding($0.name).lowercased(), $0) }) { first, _ in first }
        let own = named[SongTitle.withoutEnding(file).lowercased()]
        return songs.compactMap { song in
            let book = song.book.lowercased()
            return (named[book] ?? named[SongTitle.withoutEnding(book)] ?? own).map { (song, $0) }
        }
    }
}
