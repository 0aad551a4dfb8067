/// The lines at the beginning of a plain text that state the song's details: `Title: Grace`, `Key: [D]`, `Capo: 2`.
struct TextHeader {
    private(set) var details: [Song.Detail] = []
    /// The number of lines that it takes, with the blank lines after it; 0 if there is none.
    private(set) var lines = 0

    private static let names = [
        "title": "title", "subtitle": "subtitle", "artist": "artist", "author": "artist", "authors": "artist", "by": "artist",
        "composer": "composer", "music": "composer", "lyricist": "lyricist", "words": "lyricist", "arranger": "arranger", "key": "key",
        "original key": "key", "capo": "capo", "tempo": "tempo", "bpm": "tempo", "time": "time", "duration": "duration",
        "copyright": "copyright", "ccli": "ccli", "album": "album", "year": "year",
    ]

    /// A longer line is not taken for a title without being called one.
    private static let longestTitle = 60

    /// A header must state the title or the key: other lines with a colon may be sung.
    init(_ all: [ArraySlice<Unicode.Scalar>]) {
        var (found, count): ([Song.Detail], Int) = ([], 0)
        // The first line may be the title alone.
        var hasFreeTitle = false
        let next = all.dropFirst().first { !$0.trimmed().isEmpty }
        var rest = all.prefix(40)
        if let first = all.first, Self.detail(first) == nil, next.flatMap(Self.detail) != nil, !first.trimmed().isEmpty,
            first.count <= Self.longestTitle, !first.contains("["), !first.contains("{"), SectionHeading(first) == nil,
            Tablature(first) == nil, LooseChords(first, .english).isNone
        {
            (found, count, rest) = ([Song.Detail("title", first.trimmed().text)], 1, rest.dropFirst())
            hasFreeTitle = true
        }
        for line in rest {
            if line.trimmed().isEmpty {
                count += 1
                continue
            }
            guard let detail = Self.detail(line) else { break }
            count += 1
            if !detail.value.isEmpty { found.append(detail) }
        }
        let isStated = found.dropFirst(hasFreeTitle ? 1 : 0).contains { $0.name == "title" || $0.name == "key" && Key($0.value) != nil }
        guard isStated else { return }
        (details, lines) = (found, count)
    }

    private static func detail(_ line: ArraySlice<Unicode.Scalar>) -> Song.Detail? {
        guard let colon = line.prefix(24).firstIndex(of: ":"), let name = names[line[..<colon].trimmed().map(\.loweredASCII).text] else {
            return nil
        }
        var value = line[(colon + 1)...].trimmed()
        if value.first == "[", value.last == "]" { value = value.dropFirst().dropLast().trimmed() }
        return Song.Detail(name, value.text)
    }

    /// A line whose heading is in brackets, in whatever letters, as people write them: `[verse 4]`, `[Intro]: Am C`.
    /// Words that are sung after the brackets stay as they are.
    static func withoutBrackets(_ raw: ArraySlice<Unicode.Scalar>, _ naming: Naming) -> ArraySlice<Unicode.Scalar> {
        let plain = raw.trimmed()
        guard plain.first == "[", let end = plain.prefix(40).firstIndex(of: "]") else { return raw }
        let name = plain[(plain.startIndex + 1)..<end].trimmed()
        var rest = plain[(end + 1)...].trimmed()
        if rest.first == ":" { rest = rest.dropFirst().trimmed() }
        let capitals = name.map(\.uppedASCII)[...]
        guard SectionHeading(raw) == nil, !rest.contains("["), SectionHeading(capitals) != nil else { return raw }
        guard !rest.isEmpty else { return capitals }
        let line = (capitals + [":", " "] + rest)[...]
        return LooseChords(line, naming).certain == nil ? raw : line
    }
}
