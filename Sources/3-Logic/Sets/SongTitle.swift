import Model
import Songs

/// A song as people name it in a list or a file: its title, and the key and the capo behind it, as in `Amazing Grace (G, capo 2)`.
public struct SongTitle: Hashable, Sendable {
    public private(set) var title: String
    public private(set) var key: String?
    public private(set) var capo: Int?

    /// A title whose key and capo somebody else read. A key that is none, and a capo where no guitar has frets for it, are left out.
    public init(title: String, key: String?, capo: Int?) {
        self.title = SetList.cleaned(title[...])
        self.key = key.flatMap { Key($0)?.description }
        self.capo = capo.flatMap { (0...11).contains($0) ? $0 : nil }
    }

    /// Reads the title. Only what is read completely as keys and capos is taken away from its end; all else belongs to the title.
    public init(_ text: String) {
        title = Self.trimmed(text)
        while let (rest, details) = Self.split(title) {
            // Of two keys the first one counts: the second was written behind it as an addition.
            (title, key, capo) = (rest, details.key ?? key, details.capo ?? capo)
        }
        // In a list that was copied from a table, tabs stand between the columns.
        title = title.split(separator: "\t").joined(separator: " ")
    }

    /// What stands around a title that is taken as it is.
    static let escape: Character = "\\"

    /// Takes all of the text for the title, up to a backslash with nothing but a key and a capo behind it.
    init(asItIs text: Substring) {
        title = Self.trimmed(String(text))
        guard let end = title.lastIndex(of: Self.escape) else { return }
        let (named, behind) = (Self.trimmed(String(title[..<end])), Self.trimmed(String(title[title.index(after: end)...])))
        guard !named.isEmpty else { return }
        if behind.isEmpty {
            title = named
        } else if behind.hasPrefix("("), let (_, details) = Self.split("\(named) \(behind)") {
            (title, key, capo) = (named, details.key, details.capo)
        }
    }

    /// The key and the capo as they stand behind a title; empty if there are none.
    var details: String {
        let parts = [key, capo.map { "capo \($0)" }].compactMap(\.self)
        return parts.isEmpty ? "" : " (\(parts.joined(separator: ", ")))"
    }

    /// Reads the name of a file, without its ending. A leading number is order, not title.
    public init(ofFile name: String) {
        let bare = Self.withoutEnding(name)
        let words = bare.contains(" ") ? bare : String(bare.map { $0 == "_" ? " " : $0 })
        self.init(Self.withoutNumber(words))
    }

    /// The form in which titles are compared: words without accents, capitals and punctuation.
    public var compared: String { Self.compared(title) }

    static func compared(_ text: String) -> String {
        text.searched.replacing("'", with: "").replacing("’", with: "").split { !$0.isLetter && !$0.isNumber }.joined(separator: " ")
    }

    public static func withoutEnding(_ name: String) -> String {
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex, name.distance(from: dot, to: name.endIndex) <= 9 else {
            return name
        }
        return String(name[..<dot])
    }

    private static func withoutNumber(_ name: String) -> String {
        let digits = name.prefix { ("0"..."9").contains($0) }
        let rest = name.dropFirst(digits.count)
        guard (1...3).contains(digits.count), let sign = rest.first, " .)_-–—".contains(sign) else { return name }
        let title = rest.drop { " .)_-–—".contains($0) }
        return title.isEmpty ? name : String(title)
    }

    private static let brackets: [Character: Character] = [")": "(", "]": "["]

    private typealias Details = (key: String?, capo: Int?)

    /// What stands before the last details, and the details; `nil` if the text ends with its title.
    private static func split(_ text: String) -> (rest: String, details: Details)? {
        if let last = text.last, let open = brackets[last], let start = text.lastIndex(of: open) {
            return read(text[..<start], text[text.index(after: start)...].dropLast())
        }
        for sign in [" - ", " – ", " — ", "\t", ", ", ": ", " | ", " / ", " in "] {
            guard let range = text.ranges(of: sign).last else { continue }
            if let read = read(text[..<range.lowerBound], text[range.upperBound...]) { return read }
        }
        // This word needs no sign before it.
        for word in [" capo", " Capo"] {
            guard let range = text.ranges(of: word).last else { continue }
            if let read = read(text[..<range.lowerBound], text[range.lowerBound...]) { return read }
        }
        return nil
    }

    private static func read(_ rest: Substring, _ text: Substring) -> (String, Details)? {
        let title = trimmed(String(rest))
        guard !title.isEmpty else { return nil }
        var details: Details = (nil, nil)
        for part in text.split(whereSeparator: { ",;/".contains($0) }) {
            let words = part.split(whereSeparator: { $0.isWhitespace || $0 == ":" || $0 == "=" }).map(String.init)
            if let fret = fret(words) {
                details.capo = fret
            } else if let key = key(words) {
                details.key = details.key ?? key
            } else {
                return nil
            }
        }
        return details.key == nil && details.capo == nil ? nil : (title, details)
    }

    /// Reads `capo 2` or `capo2`.
    private static func fret(_ words: [String]) -> Int? {
        let text = words.joined().lowercased()
        guard words.count <= 2, text.hasPrefix("capo"), let fret = Int(text.dropFirst(4)), (0...11).contains(fret) else { return nil }
        return fret
    }

    /// Reads `G`, `key of G`, `key G`, `in G` or `F# minor`.
    private static func key(_ words: [String]) -> String? {
        let named = words.drop { ["key", "of", "in"].contains($0.lowercased()) }
        guard !named.isEmpty, named.count <= 2 else { return nil }
        return Key(named.joined(separator: " "))?.description
    }

    private static func trimmed(_ text: String) -> String {
        var text = text[...]
        while let first = text.first, first.isWhitespace { text.removeFirst() }
        while let last = text.last, last.isWhitespace { text.removeLast() }
        return String(text)
    }
}

extension SongTitle {
    /// Another way to read a line of a list.
    struct Reading {
        /// The song to look for.
        let wanted: SongTitle
        /// What people see of the line.
        let shown: SongTitle
        /// Whether only a chart with exactly this title counts.
        var isExact = false
    }

    /// What people write beside a title, too: the name of a file, a number, how often a song is played, a key with no sign before it. All of
    /// that may be part of a title, so it is left out only if no chart has the title as it stands. The nearest reading comes first.
    var otherReadings: [Reading] {
        var readings: [Reading] = []
        var (song, times) = (self, "")
        func add(_ title: String, key: String? = nil) {
            let read = SongTitle(title)
            song = SongTitle(title: read.title, key: song.key ?? read.key ?? key, capo: song.capo ?? read.capo)
            let shown = SongTitle(title: song.title + times, key: song.key, capo: song.capo)
            readings.append(Reading(wanted: song, shown: shown, isExact: key != nil))
        }
        let bare = Self.withoutNumber(SetFile.kind(ofName: title) == nil ? title : Self.withoutEnding(title))
        if bare != title { add(bare) }
        if let end = Self.lastWord(of: song.title), Self.isTimes(end.word) {
            times = " \(end.word)"
            add(end.rest)
        }
        if song.key == nil, let end = Self.lastWord(of: song.title), let key = Key(end.word) { add(end.rest, key: key.description) }
        return readings
    }

    private static func lastWord(of title: String) -> (rest: String, word: String)? {
        guard let blank = title.lastIndex(where: \.isWhitespace) else { return nil }
        var rest = title[..<blank]
        while let last = rest.last, last.isWhitespace || "-–—,:".contains(last) { rest.removeLast() }
        return rest.isEmpty ? nil : (String(rest), String(title[title.index(after: blank)...]))
    }

    /// Whether a word is `x2`, `2x` or `(×2)`.
    private static func isTimes(_ word: String) -> Bool {
        let signs = word.lowercased().filter { !"()[]".contains($0) }
        let digits = "x×".contains(signs.first ?? " ") ? signs.dropFirst() : "x×".contains(signs.last ?? " ") ? signs.dropLast() : ""
        return (1...2).contains(digits.count) && digits.allSatisfy { ("0"..."9").contains($0) }
    }
}

/// The order of names as people count: 2 before 10.
public func precedesAsCounted(_ left: String, _ right: String) -> Bool {
    func parts(_ name: String) -> [(text: String, number: String?)] {
        var parts: [(text: String, number: String?)] = []
        for character in name.searched {
            let isDigit = ("0"..."9").contains(character)
            if let last = parts.last, (last.number != nil) == isDigit {
                parts[parts.count - 1].text.append(character)
                if isDigit { parts[parts.count - 1].number?.append(character) }
            } else {
                parts.append((String(character), isDigit ? String(character) : nil))
            }
        }
        return parts
    }
    for (one, other) in zip(parts(left), parts(right)) where one.text != other.text {
        if let first = one.number, let second = other.number {
            let (short, long) = (first.drop { $0 == "0" }, second.drop { $0 == "0" })
            if short != long { return short.count == long.count ? short < long : short.count < long.count }
            continue
        }
        return one.text < other.text
    }
    let (one, other) = (parts(left).count, parts(right).count)
    return one == other ? left.precedesByBytes(right) : one < other
}
