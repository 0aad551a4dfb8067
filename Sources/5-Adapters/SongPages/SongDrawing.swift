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
            if page == layout.fit.pages - 1, let diagrams = layout.diagrams {
                painter.paint(diagrams, above: page == 0 ? frame.firstBottom : frame.bottom)
            }
            painter.endPage()
        }
        let unknown = type.unknown.map { "No font here has all letters of '\($0.prefix(40))'; install one that has them, such as Noto." }
        (pdf, pages, remarks) = (try painter.finish(), layout.fit.pages, copies.remarks + layout.remarks + (unknown.map { [$0] } ?? []))
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
    /// The diagrams of the chords; `nil` if there are none, or no room for them.
    let diagrams: DiagramRows?
    /// Sentences about what has no room.
    let remarks: [String]

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
        if facts.layout > 4 {
            // Its lines are other ones than those that a former layout had.
        } else if !isSame(inLayout: 3) {
            facts.layout = 4
        } else if !isSame(inLayout: 2) {
            facts.layout = 3
        } else if facts.layout == 1, !isSame(inLayout: 1) {
            facts.layout = 2
        }
        let rows = text.diagrams.flatMap { instrument in
            copies.diagrams.flatMap { DiagramRows($0, of: instrument, width: frame.textWidth) }
        }
        let fitted = rows.flatMap { Self.fit(best, above: $0, lines, of: text, on: frame, measure) }
        if fitted?.hasMoved == true { facts.diagrams = text.diagrams }
        (fit, self.facts, diagrams) = (fitted?.fit ?? best, facts, fitted == nil ? nil : rows)
        let names = copies.diagrams?.diagrams.map(\.name).joined(separator: ", ") ?? ""
        let isLeftOut = fitted == nil && !names.isEmpty
        remarks = isLeftOut ? ["The chord diagrams would take another page, and are left out: \(names)."] : []
        guard fit.pages <= Self.mostPages else {
            throw Trouble(
                "the song would take \(fit.pages) pages, and at most \(Self.mostPages) are drawn; make several songs of it, or choose a smaller size"
            )
        }
    }

    /// The words with room for the diagrams below them: where they are already or, if the page is full, in smaller letters. `nil` if that
    /// would take another page.
    private static func fit(
        _ fit: PageFit, above rows: DiagramRows, _ lines: SongLines, of text: SongText, on frame: PageFrame, _ measure: any TextMeasure
    ) -> (fit: PageFit, hasMoved: Bool)? {
        if rows.fit(below: fit, on: frame) { return (fit, false) }
        var rest = frame
        rest.firstBottom -= rows.height
        rest.bottom -= rows.height
        guard min(rest.firstBottom - rest.firstTop, rest.bottom - rest.top) > frame.height / 4 else { return nil }
        let other = PageFit(lines, of: text, on: rest, measure: measure)
        return other.pages <= fit.pages ? (other, true) : nil
    }
}
