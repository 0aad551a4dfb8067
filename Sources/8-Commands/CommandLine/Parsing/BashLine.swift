/// A command line as bash sees it during typing: with quotes and backslashes, and an unfinished last word.
package struct BashLine {
    /// The words after the program's name, as the program would receive them. The last word is still being typed, and may be empty.
    package let words: [String]
    /// Whether the last word is the file of a redirection such as `>`.
    package private(set) var isRedirection = false

    /// The quote that is still open at the end of the line.
    private let quote: Character?
    /// How many characters of the last word bash keeps. Bash replaces only what follows the word's last break character.
    private let settled: Int

    /// Reads `line` up to the cursor. `breaks` are the characters at which bash ends a word: its COMP_WORDBREAKS.
    package init(_ line: String, breaks: String) {
        var words: [String] = []
        var word: String?
        var (quote, settled) = (Character?.none, 0)
        var (isEscaped, isTarget) = (false, false)
        func end() {
            if let word, !isTarget { words.append(word) }
            if word != nil { isTarget = false }
            (word, settled) = (nil, 0)
        }
        for character in line {
            if isEscaped {
                // In double quotes, a backslash is literal before most characters.
                word = (word ?? "") + (quote == "\"" && !"\"\\$`".contains(character) ? "\\" : "") + String(character)
                isEscaped = false
            } else if character == "\\", quote != "'" {
                isEscaped = true
                word = word ?? ""
            } else if let open = quote {
                if character == open { quote = nil } else { word = (word ?? "") + String(character) }
            } else if character == "\"" || character == "'" {
                quote = character
                word = word ?? ""
            } else if character == " " || character == "\t" || character == "\n" {
                end()
            } else if "<>|&;()".contains(character) {
                end()
                isTarget = character == "<" || character == ">"
            } else {
                word = (word ?? "") + String(character)
                if breaks.contains(character) { settled = word?.count ?? 0 }
            }
        }
        self.words = Array((words + [word ?? ""]).dropFirst())
        self.quote = quote
        self.settled = quote == nil ? settled : 0
        isRedirection = isTarget
    }

    /// The text that must replace bash's last word so that the result is `word`; nil if the open quote makes that impossible.
    package func typed(_ word: String) -> String? {
        let rest = word.dropFirst(settled)
        switch quote {
        case "'": return rest.contains("'") ? nil : String(rest)
        case "\"": return rest.map { "\"\\$`".contains($0) ? "\\\($0)" : String($0) }.joined()
        default: return rest.map { " \"'\\$`&|;<>()*?[]{}!#~^".contains($0) ? "\\\($0)" : String($0) }.joined()
        }
    }
}
