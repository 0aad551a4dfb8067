import Model

/// Rows that stay together, such as the rows of one line.
struct Group: Hashable {
    var rows: [Row]
    /// Whether the group must stay with the next group, as a heading does.
    var keepsNext = false
    /// Whether the rows go across the page, below both columns.
    var isAcross = false

    var height: Double { rows.reduce(0) { $0 + $1.height } }
}

/// Lines without a gap between them.
typealias Stanza = [Group]

extension Stanza {
    var height: Double { reduce(0) { $0 + $1.height } }

    var isAcross: Bool { contains { $0.isAcross } }
}

/// The steps of a layout, in order.
enum Flow: Hashable {
    /// The stanzas of a part of the song. They stay together if a column has room for them.
    case part([Stanza])
    /// Stanzas that go across the page.
    case across([Stanza])
    case newColumn
    case newPage
}

extension Flow {
    /// The stanzas of a part as steps: one, unless some of them go across the page and others do not.
    fileprivate static func steps(_ stanzas: [Stanza]) -> [Flow] {
        stanzas.reduce(into: []) { steps, stanza in
            switch (steps.last, stanza.isAcross) {
            case (.across(let former)?, true): steps[steps.count - 1] = .across(former + [stanza])
            case (.part(let former)?, false): steps[steps.count - 1] = .part(former + [stanza])
            default: steps.append(stanza.isAcross ? .across([stanza]) : .part([stanza]))
            }
        }
    }
}

/// A song broken into rows of one width, except for lines that go across the page.
struct SongRows {
    let flow: [Flow]
    /// The share of the lines (words and verbatim) that were wrapped, or have too small letters.
    let wrapped: Double
    /// The share of the lines that are wrapped before their last word.
    let orphans: Double
    /// The share of the lines that are wrapped, and of those wrapped before their last word, without the lines that are much longer than
    /// the rest.
    let tornOthers: Double

    /// `long` has the numbers of the lines of words that are much longer than the rest. `page` is given if lines may go across it.
    init(
        _ song: SongLines, width: Double, across page: VerbatimLines.Page? = nil, measure: any TextMeasure, long: Set<Int> = [],
        layout: Int = SongSheet.layoutVersion, mayGrow: Bool = true
    ) {
        let setter = RowSetter(measure: measure, slots: song.slots, width: width, layout: layout, mayGrow: mayGrow)
        var flow: [Flow] = []
        var (lines, broken, orphans) = (0, 0, 0)
        var (number, ofLong) = (0, 0)
        for part in song.parts {
            var (stanzas, stanza): ([Stanza], Stanza) = ([], [])
            let verbatim = VerbatimLines(of: part, song.slots, width: width, page: page, layout: layout)
            func endStanza() {
                if !stanza.isEmpty { stanzas.append(stanza) }
                stanza = []
            }
            func endPart() {
                endStanza()
                // Without a heading, each stanza becomes a part of its own.
                if case .heading? = part.first { flow += Flow.steps(stanzas) } else { flow += stanzas.flatMap { Flow.steps([$0]) } }
                stanzas = []
            }
            /// Ends the stanza if its lines are in a column and the next one goes across the page, or the other way round. A heading goes
            /// with what is below it.
            func turn(toAcross isAcross: Bool) {
                guard let last = stanza.last(where: { !$0.keepsNext }), last.isAcross != isAcross else { return }
                let above = Stanza(stanza.reversed().prefix { $0.keepsNext }.reversed())
                stanza.removeLast(above.count)
                endStanza()
                stanza = above
            }
            for (place, line) in part.enumerated() {
                switch line {
                case .words(let pieces):
                    turn(toAcross: false)
                    let (rows, isOrphan) = setter.broken(pieces)
                    stanza.append(Group(rows: rows))
                    (lines, broken) = (lines + 1, broken + (rows.count > 1 ? 1 : 0))
                    if isOrphan { orphans += 1 }
                    if rows.count > 1, long.contains(number) { ofLong += isOrphan ? 2 : 1 }
                    number += 1
                case .note(let pieces, let dress):
                    let rows = setter.rows(of: pieces).map { row in
                        var row = row
                        row.dress = dress
                        return row
                    }
                    stanza.append(Group(rows: rows, keepsNext: true))
                case .heading(let name):
                    if !stanza.isEmpty { endStanza() }
                    stanza.append(Group(rows: Self.heading(name, setter), keepsNext: true))
                case .verbatim(let slot):
                    turn(toAcross: verbatim.isAcross(place))
                    stanza.append(Group(rows: verbatim.rows(of: song.slots[slot], place), isAcross: verbatim.isAcross(place)))
                    (lines, broken) = (lines + 1, broken + (verbatim.isGood(place) ? 0 : 1))
                case .sign(let text):
                    let run = Row.Run(x: 0, text: text, width: setter.measure.width(of: text, in: .note), face: .note)
                    stanza.append(Group(rows: [Row(runs: [run], end: run.width)], keepsNext: true))
                case .gap:
                    // An empty line directly after a heading does not separate the heading from its lines.
                    if stanza.contains(where: { !$0.keepsNext }) { endStanza() }
                case .newColumn, .newPage:
                    endPart()
                    if case .newPage = line { flow.append(.newPage) } else { flow.append(.newColumn) }
                }
            }
            endPart()
        }
        self.flow = flow
        wrapped = lines == 0 ? 0 : Double(broken) / Double(lines)
        self.orphans = lines == 0 ? 0 : Double(orphans) / Double(lines)
        tornOthers = lines == 0 ? 0 : Double(broken + orphans - ofLong) / Double(lines)
    }

    private static func heading(_ name: String, _ setter: RowSetter) -> [Row] {
        let pieces = name.uppercased().split(separator: " ").map {
            Piece(text: String($0), width: setter.measure.width(of: String($0), in: .heading), face: .heading, followsBlank: true)
        }
        return setter.rows(of: pieces)
    }
}
