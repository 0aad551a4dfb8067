import Model

/// Collects a Xournal document during parsing. `<xournal>` contains pages, each page a background and layers, and each layer marks.
final class XournalDocument {
    struct Page {
        /// The page's number, counted from 1 as Xournal++ shows it.
        let number: Int
        let scale: XournalScale
        var pdfPage: PageIndex?
        var layers = 0
        var marks: [Mark] = []
    }

    /// A mark that is being read: its text comes after its attributes.
    enum Item {
        case stroke(XournalStroke)
        /// The mark is complete except for its text.
        case text(Mark)
        /// The picture's bytes are in the element's text, or in an entry of the archive.
        case picture(Mark, isFormula: Bool, entry: String?)
    }

    /// Returns the bytes of an archive's entry; `nil` if no entry has that name.
    typealias Entries = (_ name: String, _ limit: Int) throws(MarkFileFault) -> [UInt8]?

    let limits: MarkFileLimits
    let entries: Entries
    var notes = MarkFileNotes()
    var page: Page?
    var item: Item?
    var buffer: [UInt8] = []
    /// The name of a PDF that is stored with the file, instead of being referred to by its path.
    var attachedPDF: String?

    /// The length of the longest path that can be opened.
    private static let longestPath = 4096

    private var depth = 0
    private var isInLayer = false
    /// Everything read so far.
    private var content = MarkFile(marks: [])
    private var pages = 0
    private var layers = 0
    private var items = 0
    private var tally: MarkTally

    init(limits: MarkFileLimits, entries: @escaping Entries = { _, _ in nil }) {
        self.limits = limits
        self.entries = entries
        tally = MarkTally(limits: limits)
    }

    /// The contents, once the whole document has been parsed.
    func file() throws(MarkFileFault) -> MarkFile {
        guard pages > 0 else { throw MarkFileFault(.malformed, "has no pages") }
        var file = content
        file.notes = notes.sentences
        return file
    }

    /// The chart that the file has named so far.
    var reference: MarkFile.Reference { content.reference }

    /// Where the current item is, for notes.
    var place: String { "page \(page?.number ?? pages)" }

    func begin(_ element: String, _ attributes: XMLAttributes) throws(MarkFileFault) {
        depth += 1
        guard depth <= limits.depth else { throw .tooMany("nested elements", limit: limits.depth) }
        switch (depth, element) {
        case (2, "page"):
            try beginPage(attributes)
        case (3, "background"):
            readBackground(attributes)
        case (3, "layer") where page != nil:
            layers += 1
            guard layers <= limits.layers else { throw .tooMany("layers", limit: limits.layers) }
            page?.layers += 1
            isInLayer = true
        case (4, _) where isInLayer:
            items += 1
            guard items <= limits.marks else { throw .tooMany("marks", limit: limits.marks) }
            buffer.removeAll(keepingCapacity: true)
            item = beginItem(element, attributes)
        case (5, "attachment"):
            guard case .picture(let mark, let isFormula, nil) = item, let path = attributes["path"] else { break }
            item = .picture(mark, isFormula: isFormula, entry: path)
        default:
            break
        }
    }

    /// Receives a piece of text, in UTF-8. One text may come in many pieces.
    func text(_ bytes: UnsafeBufferPointer<UInt8>) throws(MarkFileFault) {
        guard depth == 4, let item else { return }
        let (most, what) =
            switch item {
            // Xournal++ writes at most 26 bytes for each number, including the blank after it.
            case .stroke: (limits.strokePoints * 2 * 26, "bytes in one stroke")
            case .text: (limits.textBytes, "bytes in one text")
            case .picture: (limits.pictureBytes, "bytes in one picture")
            }
        guard buffer.count + bytes.count <= most else { throw .tooMany(what, limit: most) }
        buffer.append(contentsOf: bytes)
    }

    func end(_ element: String) throws(MarkFileFault) {
        defer { depth -= 1 }
        switch depth {
        case 4:
            if let item { try finish(item) }
            item = nil
        case 3:
            isInLayer = false
        case 2:
            endPage()
        default:
            break
        }
    }

    func add(_ mark: Mark) throws(MarkFileFault) {
        // Count by the page's number in the file, because the page of the PDF is certain only when this page ends.
        try tally.add(mark, on: PageIndex(pages))
        if mark.isOffThePage { notes.add("marks not drawn because they are off the page", at: place) }
        page?.marks.append(mark)
    }

    /// An id for the next mark, made from its place in the file because Xournal's marks have no ids.
    func nextID() -> String {
        "\(page?.number ?? 0).\(page?.layers ?? 0).\((page?.marks.count ?? 0) + 1)"
    }

    private func beginPage(_ attributes: XMLAttributes) throws(MarkFileFault) {
        pages += 1
        guard pages <= limits.pages else { throw .tooMany("pages", limit: limits.pages) }
        let (width, height) = (attributes.number("width"), attributes.number("height"))
        guard (1...XournalScale.farthest).contains(width), (1...XournalScale.farthest).contains(height) else {
            throw MarkFileFault(.malformed, "has a page without a width and a height")
        }
        page = Page(number: pages, scale: XournalScale(page: PageGeometry(width: width, height: height)))
    }

    private func readBackground(_ attributes: XMLAttributes) {
        guard page != nil, attributes["type"] == "pdf" else { return }
        // Only the first page with a PDF as its background has the path.
        if let path = attributes["filename"], path.utf8.count <= Self.longestPath, reference.pdf == nil, attachedPDF == nil {
            if attributes["domain"] == "attach" { attachedPDF = path } else { content.reference.pdf = path }
        }
        // Take only the digits, since old files have letters after the number.
        let digits = attributes["pageno"]?.drop(while: \.isWhitespace).prefix { $0.isASCII && $0.isNumber }
        guard let number = digits.flatMap({ Int($0) }), (1...100_000).contains(number) else { return }
        page?.pdfPage = PageIndex(number - 1)
    }

    private func endPage() {
        guard let page else { return }
        self.page = nil
        guard let pdfPage = page.pdfPage else {
            content.otherPages += 1
            if !page.marks.isEmpty {
                notes.add("marks on pages that are not in the PDF left out", count: page.marks.count, at: "page \(page.number)")
            }
            return
        }
        guard !page.marks.isEmpty else { return }
        // Several pages may show the same page of the PDF and differ in size. The marks of all of them are laid out on the first
        // page's size.
        let sheet = content.sheets[pdfPage] ?? page.scale.page
        content.sheets[pdfPage] = sheet
        for mark in page.marks {
            var mark = mark.laid(on: sheet, madeOn: page.scale.page)
            mark.page = pdfPage
            content.marks.append(mark)
        }
    }
}
