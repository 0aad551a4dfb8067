import Songs

/// The lines of a grid, with bars and cells below each other in every key.
///
/// Cells are counted from the bar before them, so that a line with fewer cells in a bar has its later bars in their places, too.
struct GridColumns {
    /// A place in a line: behind how many bars and, after the last of them, how many cells.
    private struct Place: Hashable {
        let bar: Int
        let cell: Int
    }

    /// The words of each line with their places, or `nil` for a line that is left as it is.
    private var lines: [[(place: Place, word: String)]?] = []
    /// The most letters that a word has at each place, in any key.
    private var widths: [Place: Int] = [:]

    /// Longer lines, and lines with more places, are no grids that anybody plays from.
    private static let longest = 400
    private static let mostPlaces = 200

    /// `lines` are the texts in the present key, each with its forms in all keys.
    init(_ lines: [(text: String, forms: Set<String>)]) {
        for (text, forms) in lines {
            let (words, forms) = (Self.words(text), forms.map(\.plainLine))
            guard ([text] + forms).allSatisfy({ $0.utf8.count <= Self.longest }), words.contains(where: { Self.isBar($0) }) else {
                self.lines.append(nil)
                continue
            }
            let places = Self.places(words)
            for form in [text] + forms {
                let other = Self.words(form)
                guard other.count == words.count else { continue }
                for (place, word) in zip(places, other) { widths[place] = max(widths[place] ?? 0, word.count) }
            }
            self.lines.append(Array(zip(places, words)).map { ($0.0, $0.1) })
        }
    }

    private static func words(_ text: String) -> [String] { text.split(separator: " ").map(String.init) }

    private static func isBar(_ word: String) -> Bool { word.contains("|") }

    private static func places(_ words: [String]) -> [Place] {
        var (bar, cell) = (0, 0)
        return words.map { word in
            if isBar(word) { (bar, cell) = (bar + 1, 0) } else { cell += 1 }
            return Place(bar: bar, cell: cell)
        }
    }

    /// Puts the aligned texts into the lines' slots.
    func align(_ slots: inout ArraySlice<Slot>, _ measure: any TextMeasure) {
        guard widths.count <= Self.mostPlaces else { return }
        let order = widths.keys.sorted { ($0.bar, $0.cell) < ($1.bar, $1.cell) }
        for (index, line) in zip(slots.indices, lines) {
            guard let line else { continue }
            let words = Dictionary(line.map { ($0.place, $0.word) }) { first, _ in first }
            let text = order.map { place in
                let word = words[place] ?? ""
                return word + String(repeating: " ", count: widths[place]! - word.count)
            }.joined(separator: " ")
            // All lines have the same number of letters, in every key.
            slots[index] = Slot(verbatim: text, room: measure.width(of: "0", in: .verbatim) * Double(text.count))
        }
    }
}
