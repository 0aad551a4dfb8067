/// Rows that stay together, such as the rows of one line.
struct Group: Hashable {
    var rows: [Row]
    /// Whether the group must stay with the next group, as a heading does.
    var keepsNext = false

    var height: Double { rows.reduce(0) { $0 + $1.height } }
}

/// Lines without a gap between them.
typealias Stanza = [Group]

extension Stanza {
    var height: Double { reduce(0) { $0 + $1.height } }
}

/// The steps of a layout, in order.
enum Flow: Hashable {
    /// The stanzas of a part of the song. They stay together if a column has room for them.
    case part([Stanza])
    case newColumn
    case newPage
}

/// A song broken into rows of one width.
struct SongRows {
    let flow: [Flow]
    /// The share of the lines (words and verbatim) that were wrapped, or reduced below `goodVerbatim`.
    let wrapped: Double
    /// The share of the lines that are wrapped before their last word.
    let orphans: Double
    /// The share of the lines that are wrapped, and of those wrapped before their last word, without the lines that are much longer than
    /// the rest.
    let tornOthers: Double

    /// `long` has the numbers of the lines of words that are much longer than the rest.
    init(_ song: SongLines, width: Double, measure: any TextMeasure, long: Set<Int> = [], readsFromRight: Bool = true) {
        let setter = RowSetter(measure: measure, slots: song.slots, width: width, readsFromRight: readsFromRight)
        var flow: [Flow] = []
        var (lines, broken, orphans) = (0, 0, 0)
        var (number, ofLong) = (0, 0)
        for part in song.parts {
            var (stanzas, stanza): ([Stanza], Stanza) = ([], [])
            let scale = Self.verbatimScale(of: part, song.slots, width)
            func endStanza() {
                if !stanza.isEmpty { stanzas.append(stanza) }
                stanza = []
            }
            func endPart() {
                endStanza()
                // Without a heading, each stanza becomes a part of its own.
                if case .heading? = part.first { flow.append(.part(stanzas)) } else { flow += stanzas.map { .part([$0]) } }
                stanzas = []
                if case .part(let last)? = flow.last, last.isEmpty { flow.removeLast() }
            }
            for line in part {
                switch line {
                case .words(let pieces):
                    let rows = setter.rows(of: pieces)
                    stanza.append(Group(rows: rows))
                    (lines, broken) = (lines + 1, broken + (rows.count > 1 ? 1 : 0))
                    let isOrphan = rows.count > 1 && rows[rows.count - 1].isOneWord
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
                    stanza.append(Group(rows: Self.verbatim(song.slots[slot], scale, width)))
                    (lines, broken) = (lines + 1, broken + (scale < Self.goodVerbatim ? 1 : 0))
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

    /// The scale at which the longest verbatim line of a part fits, from `leastVerbatim` to 1. Lines that do not fit at that scale
    /// are broken.
    private static func verbatimScale(of part: [SongLines.Line], _ slots: [Slot], _ width: Double) -> Double {
        let widest = part.reduce(0) { widest, line in
            guard case .verbatim(let slot) = line else { return widest }
            return max(widest, slots[slot].room)
        }
        return widest > width ? max(width / widest, leastVerbatim) : 1
    }

    private static let leastVerbatim = 0.45
    /// A verbatim line at a smaller scale counts as wrapped.
    private static let goodVerbatim = 0.8

    private static func verbatim(_ slot: Slot, _ scale: Double, _ width: Double) -> [Row] {
        let count = max(1, Int((slot.room * scale / width - 1e-9).rounded(.up)))
        var face = slot.face
        face.size *= scale
        var letters = slot.text[...]
        let perRow = letters.isEmpty ? 1 : max(1, Int(Double(slot.text.count) * width / max(slot.room * scale, width)))
        return (0..<count).map { _ in
            let text = String(letters.prefix(count == 1 ? letters.count : perRow))
            letters = letters.dropFirst(text.count)
            let row = Row.Run(x: 0, text: text, width: min(width, slot.room * scale), face: face)
            return Row(runs: [row], end: row.width, leading: max(scale, 0.6))
        }
    }
}
