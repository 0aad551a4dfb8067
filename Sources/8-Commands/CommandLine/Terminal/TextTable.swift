/// Rows of text in aligned columns.
package struct TextTable: Sendable {
    /// A table cell, with its style on a terminal.
    package struct Cell: Sendable, ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
        package let text: String
        package let style: Style?

        package init(_ text: String, _ style: Style? = nil) {
            self.text = text.printable
            self.style = style
        }

        package init(stringLiteral text: String) { self.init(text) }
    }

    package enum Alignment: Sendable {
        case left
        case right
    }

    private let alignments: [Alignment]
    private var rows: [[Cell]] = []

    /// A table with headings, or without if `headings` is empty. Columns are left-aligned by default.
    package init(_ headings: [String] = [], alignments: [Alignment] = []) {
        self.alignments = alignments
        if !headings.isEmpty { rows.append(headings.map { Cell($0, .bold) }) }
    }

    /// Adds a row at the end.
    package mutating func add(_ row: [Cell]) { rows.append(row) }

    /// The table's lines, with two spaces between columns and none at the end. If `width` is given, each line is cut off at that column.
    package func lines(width: Int? = nil, colored: Bool = false) -> [String] {
        var widths: [Int] = []
        for row in rows {
            for (column, cell) in row.enumerated() {
                if column == widths.count { widths.append(0) }
                widths[column] = max(widths[column], DisplayWidth.of(cell.text))
            }
        }
        fit(&widths, into: width ?? .max)
        return rows.map { line($0, widths: widths, limit: width ?? .max, colored: colored) }
    }

    /// Shrinks the widest left-aligned columns until the table fits, but none below 6. A shortened name is better than a missing column.
    private func fit(_ widths: inout [Int], into limit: Int) {
        let least = 6
        while widths.reduce(2 * (widths.count - 1), +) > limit {
            guard let widest = widths.indices.filter({ alignment(of: $0) == .left }).max(by: { widths[$0] < widths[$1] }),
                widths[widest] > least
            else { return }
            widths[widest] -= 1
        }
    }

    private func alignment(of column: Int) -> Alignment { column < alignments.count ? alignments[column] : .left }

    /// Prints the table as the result, fitted to the terminal.
    package func print(on output: Output) {
        for line in lines(width: output.terminal.width, colored: output.terminal.hasColor(.results)) { output.result(line) }
    }

    private func line(_ row: [Cell], widths: [Int], limit: Int, colored: Bool) -> String {
        var line = ""
        var used = 0
        /// Spaces that are added only if text follows them.
        var gap = 0
        for (column, cell) in row.enumerated() {
            let fitted = DisplayWidth.cut(cell.text, to: widths[column])
            let padding = widths[column] - DisplayWidth.of(fitted)
            let isRight = alignment(of: column) == .right
            if isRight { gap += padding }
            let room = limit - used - gap
            if !fitted.isEmpty, room > 0 {
                let text = DisplayWidth.cut(fitted, to: room)
                line += String(repeating: " ", count: gap) + (colored ? cell.style?.applied(to: text) ?? text : text)
                used += gap + DisplayWidth.of(text)
                gap = 0
            }
            gap += (isRight ? 0 : padding) + 2
        }
        return line
    }
}
