/// The words and chords of an arrangement, as a colleague wrote them at the service, and their layout.
package struct DemoWords: Sendable, Equatable {
    /// In the service's format; `nil` if nobody has written any.
    package var text: String?
    /// The key that the chords are written in; `nil` if nobody has entered it.
    package var key: String?
    var sequence: [String] = []
    var columns = 1
    var fontSize = 14
    var pageSize = "A4"
    var meter: String?

    /// Returns whether any line has chords, in brackets or above the words.
    var hasChords: Bool { lines.contains { $0.contains("[") || Self.isOfChords($0) } }

    /// The text without chords, notes and codes, as the service derives it.
    var lyrics: String? {
        guard text != nil else { return nil }
        var kept: [String] = []
        for line in lines where !Self.isOfChords(line) && !Self.isInstruction(line) {
            let words = Self.withoutChords(line)
            // A line of chords alone leaves no words.
            if line.contains("["), words.allSatisfy({ " |/".contains($0) }) { continue }
            kept.append(words)
        }
        return kept.joined(separator: "\n")
    }

    private var lines: [Substring] { text?.split(separator: "\n", omittingEmptySubsequences: false) ?? [] }

    private static func isInstruction(_ line: Substring) -> Bool {
        line.hasPrefix("{") || line == "COLUMN_BREAK" || line == "PAGE_BREAK" || line.hasPrefix("TRANSPOSE KEY ")
            || line.hasPrefix("REDEFINE KEY ")
    }

    /// Simple on purpose: the demo's own texts have no words that look like chords.
    private static func isOfChords(_ line: Substring) -> Bool {
        let marks = line.split(separator: " ").filter { $0 != "|" && $0 != "x2" }
        return !marks.isEmpty
            && marks.allSatisfy { mark in
                "ABCDEFG".contains(mark[mark.startIndex]) && mark.dropFirst().allSatisfy { "#bm/ABCDEFGsu0123456789".contains($0) }
            }
    }

    private static func withoutChords(_ line: Substring) -> String {
        var isChord = false
        var words = ""
        for letter in line {
            if letter == "[" { isChord = true }
            if !isChord { words.append(letter) }
            if letter == "]" { isChord = false }
        }
        return words
    }
}
