/// The lines at the beginning of a plain text that state the song's details: `Title: Grace`, `Key: [D]`, `Capo: 2nd fret`.
struct TextHeader {
    private(set) var details: [Song.Detail] = []
    /// The indices of the lines with details. Other lines between them, such as `Tuning: D A D G B E`, stay on the page.
    private(set) var lines: Set<Int> = []
    /// Whether an older version of this program would read less of the header.
    private(set) var isNew = false

    private static let names = [
        "title": "title", "subtitle": "subtitle", "artist": "artist", "author": "artist", "authors": "artist", "by": "artist",
        "composer": "composer", "music": "composer", "lyricist": "lyricist", "words": "lyricist", "arranger": "arranger", "key": "key",
        "original key": "key", "capo": "capo", "tempo": "tempo", "bpm": "tempo", "time": "time", "duration": "duration",
        "copyright": "copyright", "ccli": "ccli", "album": "album", "year": "year",
    ]

    private static let foreignNames = [
        "titel": "title", "título": "title", "titulo": "title", "titre": "title", "interpret": "artist", "autor": "artist",
        "auteur": "artist", "artista": "artist", "artiste": "artist", "komponist": "composer", "musik": "composer", "tonart": "key",
        "tonalidad": "key", "tono": "key", "tonalité": "key", "kapodaster": "capo", "kapo": "capo",
    ]

    /// A longer line is not read as the title unless it begins with `Title:`.
    private static let longestTitle = 60

    /// A header must state the title or the key: other lines with a colon may be sung. Where nothing else states the key, the fret of a
    /// capo will do.
    init(_ all: [ArraySlice<Unicode.Scalar>], isKeyKnown: Bool = false) {
        let free = Self.freeLines(all)
        var found = zip(free, ["title", "artist"]).map { Song.Detail($1, all[$0].trimmed().text) }
        var (taken, isNew, hasOther) = (Set(free), free.count > 1, false)
        for (index, line) in all.prefix(40).enumerated().dropFirst(free.last.map { $0 + 1 } ?? 0) {
            if line.trimmed().isEmpty {
                // An empty line after a line that stays is a gap on the page.
                if !hasOther { taken.insert(index) }
            } else if let (detail, isForeign) = Self.detail(line) {
                taken.insert(index)
                isNew = isNew || isForeign || hasOther
                if !detail.value.isEmpty { found.append(detail) }
            } else if Self.isOther(line) {
                hasOther = true
            } else {
                break
            }
        }
        let stated = found.dropFirst(free.count)
        let hasCapo = !isKeyKnown && stated.contains { $0.name == "capo" && $0.value != "0" }
        guard hasCapo || stated.contains(where: { $0.name == "title" || $0.name == "key" }) else { return }
        (details, lines) = (found, taken)
        self.isNew = isNew || !stated.contains { $0.name == "title" || $0.name == "key" }
    }

    /// The first line may be the title alone, and the second line the people who made the song.
    private static func freeLines(_ all: [ArraySlice<Unicode.Scalar>]) -> [Int] {
        let filled = all.prefix(40).enumerated().filter { !$0.element.trimmed().isEmpty }.prefix(3)
        guard let first = filled.first, first.offset == 0, isFree(first.element) else { return [] }
        let rest = filled.dropFirst()
        guard let second = rest.first else { return [] }
        if detail(second.element) != nil || isOther(second.element) { return [0] }
        let isBeforeDetail = rest.dropFirst().first.map { detail($0.element) != nil } ?? false
        return second.offset == 1 && isFree(second.element) && isBeforeDetail ? [0, 1] : []
    }

    private static func isFree(_ line: ArraySlice<Unicode.Scalar>) -> Bool {
        detail(line) == nil && !isOther(line) && line.count <= longestTitle && !line.contains("[") && !line.contains("{")
            && SectionHeading(line) == nil && Tablature(line) == nil && LooseChords(line, .english).isNone
    }

    /// Whether a line states something that is not one of the details here, such as `Difficulty: novice`. Names of parts do not count.
    private static func isOther(_ line: ArraySlice<Unicode.Scalar>) -> Bool {
        guard let colon = line.prefix(24).firstIndex(of: ":"), line[(colon + 1)...].contains(where: { !$0.isBlank }) else { return false }
        let name = line[..<colon].trimmed()
        return name.count > 2 && name.allSatisfy { $0.properties.isAlphabetic || $0.isBlank } && SectionHeading(name) == nil
            && SectionHeading(line) == nil && !line.contains("[")
    }

    /// A detail, and whether only this version of the program reads it.
    private static func detail(_ line: ArraySlice<Unicode.Scalar>) -> (Song.Detail, isForeign: Bool)? {
        guard let colon = line.prefix(24).firstIndex(of: ":") else {
            // `Capo 3` needs no colon.
            let words = line.count <= 24 ? line.split(whereSeparator: \.isBlank) : []
            guard words.count > 1, words[0].isFolded("capo"), let fret = fret(line), fret != "0" else { return nil }
            return (Song.Detail("capo", fret), true)
        }
        let word = line[..<colon].trimmed().map(\.loweredASCII).text
        guard let name = names[word] ?? foreignNames[word] else { return nil }
        var value = line[(colon + 1)...].trimmed()
        if value.first == "[", value.last == "]" { value = value.dropFirst().dropLast().trimmed() }
        let isForeign = names[word] == nil
        switch name {
        case "key" where !value.isEmpty:
            // A key that cannot be read would otherwise be on no page.
            guard Key(value.text) != nil || Key(value.text, naming: .german) != nil else { return nil }
            return (Song.Detail(name, value.text), isForeign)
        case "capo" where !value.isEmpty:
            return fret(value).map { (Song.Detail(name, $0), isForeign || $0 != value.text) }
        default: return (Song.Detail(name, value.text), isForeign)
        }
    }

    /// The fret of a capo: `3`, `2nd fret`, `no capo`; `nil` if the text has other words.
    private static func fret(_ value: ArraySlice<Unicode.Scalar>) -> String? {
        let digits = value.split { !$0.isDigit }
        let words = value.split { !$0.properties.isAlphabetic }.map { $0.map(\.loweredASCII).text }
        guard digits.count <= 1, digits.allSatisfy({ $0.count <= 2 }), words.allSatisfy(fretWords.contains) else { return nil }
        return digits.first?.text ?? (words.contains { ["no", "none"].contains($0) } ? "0" : nil)
    }

    private static let fretWords: Set<String> = [
        "capo", "fret", "on", "at", "the", "st", "nd", "rd", "th", "no", "none",
    ]

    private static let dashes: Set<Unicode.Scalar> = ["-", "–", "—"]

    /// The line without the brackets around its heading, whether or not in capitals, as people write them: `[verse 4]`, `[Intro]: Am C`,
    /// `-[Verse 2]`. If sung words follow the brackets, the line stays as it is.
    static func withoutBrackets(_ raw: ArraySlice<Unicode.Scalar>, _ naming: Naming) -> ArraySlice<Unicode.Scalar> {
        let plain = raw.trimmed()
        if let dash = plain.first, dashes.contains(dash), plain.last == "]" {
            let name = plain.dropFirst().trimmed()
            guard name.first == "[" else { return raw }
            let heading = withoutBrackets(name, naming)
            return SectionHeading(heading) == nil ? raw : heading
        }
        guard plain.first == "[", let end = plain.prefix(40).firstIndex(of: "]") else { return raw }
        let name = plain[(plain.startIndex + 1)..<end].trimmed()
        var rest = plain[(end + 1)...].trimmed()
        if rest.first == ":" { rest = rest.dropFirst().trimmed() }
        let capitals = name.map(\.uppedASCII)[...]
        guard SectionHeading(raw) == nil, !rest.contains("["), SectionHeading(capitals) != nil else { return raw }
        // How often, or how it is played: `[Verse 2] (same chords)`.
        if rest.first == "(", rest.last == ")", rest.count <= 40, LooseChords(rest, naming).isNone {
            return (capitals + [" "] + rest.map(\.uppedASCII))[...]
        }
        guard !rest.isEmpty else { return capitals }
        let line = (capitals + [":", " "] + rest)[...]
        return LooseChords(line, naming).certain == nil ? raw : line
    }
}
