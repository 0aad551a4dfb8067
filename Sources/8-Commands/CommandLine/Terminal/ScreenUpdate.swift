/// What has to be written to a terminal to show other lines than before: only the rows that differ.
struct ScreenUpdate {
    /// What the terminal shows, row by row.
    private var shown: [String] = []
    private var size: (rows: Int, columns: Int)?

    /// The text to print so that the terminal shows `lines`, as many as fit. Empty if nothing differs.
    mutating func text(for lines: [String], rows: Int, columns: Int) -> String {
        var text = ""
        if size.map({ $0 != (rows, columns) }) ?? true {
            // Resizing has moved the terminal's lines about.
            text = "\u{1B}[2J"
            shown = []
            size = (rows, columns)
        }
        var visible = Array(lines.prefix(rows))
        if lines.count > rows, rows > 0 { visible[rows - 1] = "… and \(lines.count - rows + 1) more lines" }
        for row in 0..<max(visible.count, shown.count) {
            let line = row < visible.count ? visible[row] : ""
            guard line != (row < shown.count ? shown[row] : "") else { continue }
            text += "\u{1B}[\(row + 1);1H\(line)\u{1B}[K"
        }
        shown = visible
        return text
    }
}
