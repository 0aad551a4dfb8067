/// Reads a line that has chords in brackets and styles in tags.
struct InlineReader {
    private(set) var line = WordLine(text: "")
    /// For each scalar of the raw line, and for its end: how many scalars of the words precede it.
    private(set) var places: [Int] = []
    private let naming: Naming

    private var words = String.UnicodeScalarView()
    private var count = 0
    private var chords: [WordLine.PlacedChord] = []
    private var ranges: [WordLine.Style: [Range<Int>]] = [:]
    private var starts: [WordLine.Style: Int] = [:]

    /// On entry, `open` contains the styles that continue from the previous line; on return, those that continue on the next line.
    init(_ raw: ArraySlice<Unicode.Scalar>, _ naming: Naming, open: inout Set<WordLine.Style>) {
        self.naming = naming
        for style in open { starts[style] = 0 }
        places.reserveCapacity(raw.count + 1)
        var place = raw.startIndex
        while place < raw.endIndex {
            let end = take(raw, at: place)
            while places.count < end - raw.startIndex { places.append(count) }
            place = end
        }
        places.append(count)
        open = Set(starts.keys)
        for style in open { end(style) }
        let styles = ranges.flatMap { style, ranges in ranges.map { WordLine.StyledRange(style: style, range: $0) } }
        line = WordLine(
            text: String(words), chords: chords, styles: styles.sorted { ($0.range.lowerBound, $0.style) < ($1.range.lowerBound, $1.style) }
        )
    }

    /// Reads the chord, tag or scalar at `place`. Returns the index after it.
    private mutating func take(_ raw: ArraySlice<Unicode.Scalar>, at place: Int) -> Int {
        if raw[place] == "[",
            // If brackets are nested, the inner ones contain the chord. Stopping at each bracket also means that no text is searched twice.
            let close = raw[(place + 1)...].firstIndex(where: { $0 == "]" || $0 == "[" }), raw[close] == "]"
        {
            let inside = raw[(place + 1)..<close]
            if !inside.allSatisfy(\.isBlank) { chords.append(.init(ChordText(inBrackets: inside, naming), at: count)) }
            return close + 1
        }
        if raw[place] == "<", let tag = StyleTag(raw, at: place) {
            if tag.isEnd { end(tag.style) } else if starts[tag.style] == nil { starts[tag.style] = count }
            return tag.end
        }
        if let end = Markup.end(raw, at: place) { return end }
        places.append(count)
        words.append(raw[place])
        count += 1
        return place + 1
    }

    private mutating func end(_ style: WordLine.Style) {
        guard let start = starts.removeValue(forKey: style), start < count else { return }
        // Join two ranges of one style that touch.
        let goesOn = ranges[style]?.last?.upperBound == start
        let first = goesOn ? ranges[style]?.popLast()?.lowerBound : nil
        ranges[style, default: []].append((first ?? start)..<count)
    }
}

/// A tag for a style, such as `<b>` or `</em>`.
struct StyleTag {
    let style: WordLine.Style
    let isEnd: Bool
    /// The index after the last scalar of the tag.
    let end: Int

    init?(_ raw: ArraySlice<Unicode.Scalar>, at place: Int) {
        let isEnd = raw[(place + 1)...].first == "/"
        let start = place + (isEnd ? 2 : 1)
        let name = raw[min(start, raw.endIndex)...].prefix(7).prefix { $0 != ">" }
        guard name.endIndex < raw.endIndex, raw[name.endIndex] == ">" else { return nil }
        let lowered = String(String.UnicodeScalarView(name.map(\.loweredASCII)))
        guard let style = WordLine.Style(rawValue: Self.others[lowered] ?? lowered) else { return nil }
        (self.style, self.isEnd, end) = (style, isEnd, name.endIndex + 1)
    }

    private static let others = ["strong": "b", "em": "i"]
}

extension ArraySlice<Unicode.Scalar> {
    /// The text without its tags. `end` gives the index after the tag that begins at the `<` with this index; `nil` if none does.
    func withoutTags(_ end: (Self, Int) -> Int?) -> Self {
        guard contains("<") else { return self }
        var (rest, place): ([Unicode.Scalar], Int) = ([], startIndex)
        while place < endIndex {
            if self[place] == "<", let next = end(self, place) {
                place = next
            } else {
                rest.append(self[place])
                place += 1
            }
        }
        return rest[...]
    }
}
