/// Renders a page of Markdown for a terminal: wrapped, with bold headings, and with tables as lists.
///
/// Supports only the syntax of our own pages: headings, paragraphs, lists, tables, code, bold words and links.
package struct MarkdownText {
    private let width: Int
    private let isStyled: Bool
    private var lines: [String] = []

    package init(_ markdown: String, width: Int, isStyled: Bool) {
        (self.width, self.isStyled) = (width, isStyled)
        var rest = markdown.split(separator: "\n", omittingEmptySubsequences: false)[...]
        while let line = rest.first {
            if line.hasPrefix("```") {
                code(&rest)
            } else if line.hasPrefix("|") {
                table(&rest)
            } else if line.hasPrefix("#") {
                separate()
                append("**\(line.drop { $0 == "#" || $0 == " " })**", first: "")
                rest.removeFirst()
            } else if line.isEmpty || line.hasPrefix("![") {
                rest.removeFirst()
            } else {
                paragraph(&rest)
            }
        }
    }

    /// The whole text, ending in a line break.
    package var text: String { lines.joined(separator: "\n") + "\n" }

    // MARK: - Blocks

    /// Adds an empty line, unless the last line is empty.
    private mutating func separate() {
        if let last = lines.last, !last.isEmpty { lines.append("") }
    }

    private mutating func code(_ rest: inout ArraySlice<Substring>) {
        separate()
        rest.removeFirst()
        while let line = rest.popFirst(), !line.hasPrefix("```") { lines.append("    " + line) }
        lines.append("")
    }

    /// A paragraph or a list item, with its continuation lines.
    private mutating func paragraph(_ rest: inout ArraySlice<Substring>) {
        let first = rest.removeFirst()
        let indent = first.prefix { $0 == " " }
        var content = first.dropFirst(indent.count)
        var mark = ""
        if let match = content.prefixMatch(of: #/(-|[0-9]+\.) /#) {
            mark = String(match.0)
            content = content.dropFirst(mark.count)
        } else {
            separate()
        }
        var words = String(content)
        while let line = rest.first, Self.continues(line) {
            words += " " + line.drop { $0 == " " }
            rest.removeFirst()
        }
        append(words, first: indent + mark)
        if rest.first?.isEmpty != false { lines.append("") }
    }

    private static func continues(_ line: Substring) -> Bool {
        !line.isEmpty && !line.hasPrefix("|") && !line.hasPrefix("#") && !line.hasPrefix("```")
            && line.prefixMatch(of: #/ *(-|[0-9]+\.) /#) == nil
    }

    /// Each row as an entry: its first cell, then its other cells below, with the column headings if there are more than two columns.
    private mutating func table(_ rest: inout ArraySlice<Substring>) {
        var rows: [[String]] = []
        while let line = rest.first, line.hasPrefix("|") {
            rows.append(Self.cells(line))
            rest.removeFirst()
        }
        guard rows.count > 2 else { return }
        separate()
        for row in rows.dropFirst(2) {
            append(row[0], first: "  ")
            for (head, cell) in zip(rows[0], row).dropFirst() where !cell.isEmpty {
                append(row.count > 2 ? "\(head): \(cell)" : cell, first: "      ")
            }
        }
        lines.append("")
    }

    /// Splits a row at its bars. A bar inside a cell is written `\|`.
    private static func cells(_ line: Substring) -> [String] {
        line.replacing("\\|", with: "\u{0}").split(separator: "|", omittingEmptySubsequences: false).dropFirst().dropLast().map { cell in
            cell.split(separator: " ").joined(separator: " ").replacing("\u{0}", with: "|")
        }
    }

    // MARK: - Words

    private func paint(_ text: String) -> String { isStyled ? Style.bold.applied(to: text) : text }

    private mutating func append(_ text: String, first: String) {
        let margin = String(repeating: " ", count: DisplayWidth.of(first))
        var line = first
        var column = margin.count
        for word in words(text) {
            if column > margin.count, column + 1 + word.width > width {
                lines.append(line)
                line = margin
                column = margin.count
            }
            if column > margin.count {
                line += " "
                column += 1
            }
            line += word.text
            column += word.width
        }
        lines.append(line)
    }

    /// The words to show, with their widths. Bold text and code are bold. A link becomes its text and its address, or the command
    /// that prints the linked page.
    private func words(_ text: String) -> [(text: String, width: Int)] {
        let linked = text.replacing(/\[([^\]]+)\]\(([^)]+)\)/) { match in
            let target = match.2
            if target.hasSuffix(".md"), !target.contains("/") { return "\(match.1) (`woodshed help \(target.dropLast(3))`)" }
            return match.1 == target ? String(target) : "\(match.1) (\(target))"
        }
        var isBold = false
        var isCode = false
        return linked.split(separator: " ").map { word in
            var shown = ""
            var piece = ""
            var width = 0
            func end() {
                shown += isBold || isCode ? paint(piece) : piece
                width += DisplayWidth.of(piece)
                piece = ""
            }
            var rest = word[...]
            while let character = rest.first {
                if character == "`" {
                    // Where bold letters are not possible, quotes show which text is code, such as a command to type.
                    if isCode, !isStyled { piece.append("'") }
                    end()
                    isCode.toggle()
                    if isCode, !isStyled { piece.append("'") }
                    rest.removeFirst()
                } else if rest.hasPrefix("**"), !isCode {
                    end()
                    isBold.toggle()
                    rest.removeFirst(2)
                } else {
                    piece.append(character)
                    rest.removeFirst()
                }
            }
            end()
            return (shown, width)
        }
    }
}
