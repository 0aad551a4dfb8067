/// A text wrapped between its words. A word that is too long for a line, such as a path, stays whole.
package enum WrappedText {
    /// The lines; the first begins with `first`, the others with as many spaces.
    package static func lines(_ text: String, width: Int?, first: String = "") -> [String] {
        let margin = String(repeating: " ", count: DisplayWidth.of(first))
        guard let width else { return [first + text] }
        var lines: [String] = []
        var line = ""
        for word in text.split(separator: " ") {
            if !line.isEmpty, margin.count + DisplayWidth.of(line) + 1 + DisplayWidth.of(String(word)) > width {
                lines.append(line)
                line = ""
            }
            line += (line.isEmpty ? "" : " ") + word
        }
        lines.append(line)
        return lines.enumerated().map { ($0 == 0 ? first : margin) + $1 }
    }
}
