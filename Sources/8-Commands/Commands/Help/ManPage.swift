import Host

/// A page in the format of man, in pure ASCII: man itself chooses characters that the terminal can show.
struct ManPage {
    private(set) var lines: String

    init(name: String, section: Int, of what: String, summary: String) {
        lines = ".TH \(name.uppercased()) \(section) \"\" \"woodshed \(Release.version)\" \"\(what)\"\n"
        // No hyphenation and no justified lines, since users copy paths and options.
        lines += ".nh\n.ad l\n"
        head("NAME")
        line("\(name) \\- \(Self.plain(summary))")
    }

    mutating func line(_ line: String) { lines += line + "\n" }
    mutating func head(_ title: String) { line(".SH \"\(Self.plain(title))\"") }
    mutating func section(_ title: String) { line(".SS \"\(Self.plain(title))\"") }

    mutating func text(_ text: String) {
        line(".PP")
        line(Self.plain(text))
    }

    mutating func item(_ term: String, _ text: String) {
        line(".TP")
        line(".B \(Self.plain(String(term.drop { $0 == " " })))")
        line(Self.plain(text))
    }

    // MARK: - Pages of the manual

    /// Adds Markdown in the syntax of our own pages, without its heading, which is already the page's name.
    mutating func markdown(_ text: String) {
        var rest = text.split(separator: "\n", omittingEmptySubsequences: false).dropFirst()
        if rest.first(where: { !$0.isEmpty })?.hasPrefix("#") == false { head("DESCRIPTION") }
        while let first = rest.first {
            if first.hasPrefix("```") {
                rest.removeFirst()
                line(".PP\n.nf")
                while let next = rest.popFirst(), !next.hasPrefix("```") { line("    " + Self.plain(String(next))) }
                line(".fi")
            } else if first.hasPrefix("|") {
                table(&rest)
            } else if first.hasPrefix("#") {
                head(Self.unmarked(first.drop { $0 == "#" || $0 == " " }))
                rest.removeFirst()
            } else if first.isEmpty || first.hasPrefix("![") {
                rest.removeFirst()
            } else {
                paragraph(&rest)
            }
        }
    }

    /// A paragraph or an entry of a list, with the lines that continue it.
    private mutating func paragraph(_ rest: inout ArraySlice<Substring>) {
        let entry = rest.removeFirst().drop { $0 == " " }
        let mark = entry.prefixMatch(of: #/(-|[0-9]+\.) /#).map { String($0.1) }
        var words = String(mark.map { entry.dropFirst($0.count + 1) } ?? entry)
        while let next = rest.first, !next.isEmpty, !next.hasPrefix("|"), !next.hasPrefix("#"), !next.hasPrefix("```"),
            next.prefixMatch(of: #/ *(-|[0-9]+\.) /#) == nil
        {
            words += " " + next.drop { $0 == " " }
            rest.removeFirst()
        }
        line(mark.map { $0 == "-" ? ".IP \\(bu 2" : ".IP \($0) 4" } ?? ".PP")
        line(Self.plain(Self.unmarked(words[...])))
    }

    /// Each row becomes an item: the first cell, and below it the other cells that are not empty. If the table has several other
    /// columns, each cell follows its heading.
    private mutating func table(_ rest: inout ArraySlice<Substring>) {
        var rows: [[String]] = []
        while let row = rest.first, row.hasPrefix("|") {
            // A bar that is part of a cell is written `\|`.
            let cells = row.replacing("\\|", with: "\u{0}").split(separator: "|", omittingEmptySubsequences: false).dropFirst().dropLast()
            rows.append(
                cells.map { Self.unmarked($0.split(separator: " ").joined(separator: " ")[...]).replacing("\u{0}", with: "|") })
            rest.removeFirst()
        }
        for row in rows.dropFirst(2) {
            let others = zip(rows[0], row).dropFirst().filter { !$1.isEmpty }.map { row.count > 2 ? "\($0): \($1)" : $1 }
            item(row.first ?? "", others.joined(separator: "; "))
        }
    }

    /// Removes the markup of Markdown. A link becomes its text and its address, or the name of the man page that it leads to; code
    /// is put in quotes.
    private static func unmarked(_ text: Substring) -> String {
        let linked = text.replacing(/\[([^\]]+)\]\(([^)]+)\)/) { match in
            match.2.hasSuffix(".md") && !match.2.contains("/")
                ? "\(match.1) (woodshed-\(match.2.dropLast(3))(7))" : match.1 == match.2 ? String(match.2) : "\(match.1) (\(match.2))"
        }
        return String(linked).replacing("**", with: "").replacing("`", with: "'")
    }

    // MARK: - Letters

    /// Escapes a text so that man prints every character literally, and replaces or escapes characters that ASCII lacks.
    private static func plain(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            let escaped = line.map { escapes[$0] ?? ($0.isASCII ? String($0) : named($0)) }.joined()
            return (escaped.first == "." ? "\\&" : "") + escaped
        }.joined(separator: "\n")
    }

    /// First, characters that man would print as other ones or take for commands; then those in our pages that ASCII lacks.
    private static let escapes: [Character: String] = [
        "\\": "\\e", "-": "\\-", "\"": "\\(dq", "'": "\\(aq", "`": "\\(ga", "^": "\\(ha", "~": "\\(ti",
        "…": "...", "–": "\\-", "—": "\\-\\-", "→": "\\->", "×": "x", "·": "*", "♭": "b", "♯": "#", "−": "\\-", "“": "\\(dq",
        "”": "\\(dq", "’": "\\(aq",
    ]

    /// The escape for a character that ASCII lacks, by its code points.
    private static func named(_ character: Character) -> String {
        character.unicodeScalars.map { $0.isASCII ? String($0) : "\\[u" + hex($0.value) + "]" }.joined()
    }

    private static func hex(_ value: UInt32) -> String {
        let digits = String(value, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}
