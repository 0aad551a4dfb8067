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

    /// A header must state the title or the key: other lines with a colon may be sung.
    init(_ all: [ArraySlice<Unicode.Scalar>]) {
        var (found, count): ([Song.Detail], Int) = ([], 0)
        for line in all.prefix(40) {
            if line.trimmed().isEmpty {
                count += 1
                continue
            }
            guard let colon = line.prefix(24).firstIndex(of: ":"),
                let name = Self.names[line[..<colon].trimmed().map(\.loweredASCII).text]
            else { break }
            var value = line[(colon + 1)...].trimmed()
            if value.first == "[", value.last == "]" { value = value.dropFirst().dropLast().trimmed() }
            count += 1
            if !value.isEmpty { found.append(Song.Detail(name, value.text)) }
        }
        guard found.contains(where: { $0.name == "title" || $0.name == "key" && Key($0.value) != nil }) else { return }
        (details, lines) = (found, count)
    }

    /// A line whose heading is in brackets, in whatever letters, as people write them: `[verse 4]`, `[Intro]: Am C`.
    static func withoutBrackets(_ raw: ArraySlice<Unicode.Scalar>) -> ArraySlice<Unicode.Scalar> {
        let line = raw.trimmed()
        guard line.first == "[", let end = line.prefix(40).firstIndex(of: "]") else { return raw }
        let name = line[(line.startIndex + 1)..<end].trimmed()
        var rest = line[(end + 1)...].trimmed()
        if rest.first == ":" { rest = rest.dropFirst().trimmed() }
        let capitals = name.map(\.uppedASCII)[...]
        guard rest.isEmpty ? SectionHeading(name) == nil : !rest.contains("["), SectionHeading(capitals) != nil else { return raw }
        return rest.isEmpty ? capitals : (capitals + [":", " "] + rest)[...]
    }
}
