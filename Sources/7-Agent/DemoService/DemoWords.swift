/// The words and chords of an arrangement, as colleagues enter them at the service, and their layout.
package struct DemoWords: Sendable, Equatable {
    /// The text in the service's format; `nil` if there is none.
    package var text: String?
    /// The key of the written chords; `nil` if nobody entered it.
    package var key: String?
    var sequence: [String] = []
    var columns = 1
    var fontSize = 14
    var pageSize = "A4"
    var meter: String?

    /// Whether any line has chords, in brackets or above the words.
    var hasChords: Bool { lines.contains { $0.contains("[") || Self.isOfChords($0) } }

    /// The text without chords, notes and codes, as the service extracts it.
    var lyrics: String? {
        guard text != nil else { return nil }
        var kept: [String] = []
        for line in lines where !Self.isOfChords(line) && !Self.isInstruction(line) {
            let words = Self.withoutChords(line)
            // A line with only chords leaves nothing.
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

    /// Deliberately simple: no words in the demo's texts look like chords.
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
