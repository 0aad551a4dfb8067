public import Model
import Songs

/// A song drawn from its words and chords.
///
/// Marks fit the song in every key, with every capo and in every notation: rows, columns and pages break at the same places, and no
/// word moves.
public struct SongDrawing {
    /// The PDF. On one machine with the same fonts, the same sheet always gives the same bytes.
    public let pdf: [UInt8]
    public let pages: Int
    /// Sentences about the parts that could not be understood or drawn, and about wishes that could not be fulfilled.
    public let remarks: [String]
    /// The key of the chords on the page, by its English name; `nil` if it is unknown.
    public let key: String?
    public let facts: SongFacts

    public init(of sheet: SongSheet) throws(Trouble) {
        let copies = try SongCopies(of: sheet)
        let type = try Typesetter()
        let layout = try SongLayout(copies, sheet.song, measure: type)
        let frame = layout.labels.frame
        let painter = try SheetPainter(type, width: frame.width, height: frame.height, title: sheet.song.title.plainLine)
        var places = layout.fit.places[...]
        for page in 0..<layout.fit.pages {
            if page == 0 {
                painter.paint(layout.labels.first)
                painter.paintRule(at: layout.labels.rule, from: PageFrame.side, to: frame.width - PageFrame.side)
            } else {
                painter.paint(layout.labels.later(page, of: layout.fit.pages))
            }
            let (size, columns) = (layout.fit.size, layout.fit.columns)
            while let place = places.first, place.page == page {
                painter.paint(
                    place.row, slots: layout.slots, x: frame.columnStart(place.column, of: columns),
                    y: (page == 0 ? frame.firstTop : frame.top) + place.y * size, size: size)
                places.removeFirst()
            }
            painter.endPage()
        }
        let unknown = type.unknown.map { "No font here has all letters of '\($0.prefix(40))'; install one that has them, such as Noto." }
        (pdf, pages, remarks) = (try painter.finish(), layout.fit.pages, copies.remarks + (unknown.map { [$0] } ?? []))
        (key, facts) = (copies.shown.key?.description, layout.facts)
    }
}

extension Trouble {
    static let outOfMemory = Trouble("there was no memory to draw the song; close other programs, and try again")
}

/// The positions of all texts on a song's pages.
struct SongLayout {
    let labels: SheetLabels
    let slots: [Slot]
    let fit: PageFit
    let facts: SongFacts

    static let mostPages = 30

    init(_ copies: SongCopies, _ text: SongText, measure: any TextMeasure) throws(Trouble) {
        let lines = SongLines(of: copies, measure: measure)
        labels = SheetLabels(text, copies, measure: measure)
        slots = lines.slots
        let frame = labels.frame
        let best = PageFit(lines, of: text, on: frame, measure: measure)
        func isSame(inLayout layout: Int) -> Bool {
            PageFit(lines, of: text, on: frame, measure: measure, layout: layout).isSame(as: best)
        }
        var facts = copies.facts
        // Marks that are on the song stay right if a former layout had all words where they are now.
        if !isSame(inLayout: 2) {
            facts.layout = 3
        } else if facts.layout == 1, !isSame(inLayout: 1) {
            facts.layout = 2
        }
        (fit, self.facts) = (best, facts)
        guard fit.pages <= Self.mostPages else {
            throw Trouble(
                "the song would take \(fit.pages) pages, and at most \(Self.mostPages) are drawn; make several songs of it, or choose a smaller size"
            )
        }
    }
}
