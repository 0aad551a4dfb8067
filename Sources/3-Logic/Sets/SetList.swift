public import Model

/// A list of songs as people type it, a line a song.
public struct SetList: Hashable, Sendable {
    public enum Line: Hashable, Sendable {
        case song(SongTitle)
        case remark(String)
        /// An empty line between two songs.
        case pause
    }

    public struct Entry: Hashable, Sendable {
        /// Counted from 1.
        public let number: Int
        public let line: Line

        public init(number: Int, _ line: Line) { (self.number, self.line) = (number, line) }
    }

    public private(set) var entries: [Entry] = []
    /// Whether the list has more lines, or longer ones, than are read.
    public private(set) var isCut = false

    /// Nobody plays more in a day. A list that is longer is something else.
    public static let mostEntries = 500
    /// The most letters of a line. Titles are shorter.
    public static let longestLine = 200

    public init(_ text: String) {
        var isPause = false
        for (place, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            let words = Self.cleaned(line)
            if line.unicodeScalars.count > Self.longestLine { isCut = true }
            guard !words.isEmpty else {
                isPause = !entries.isEmpty
                continue
            }
            guard entries.count < Self.mostEntries else {
                isCut = true
                return
            }
            if isPause { entries.append(Entry(number: place, .pause)) }
            isPause = false
            if words.hasPrefix("#") {
                let remark = words.drop { $0 == "#" || $0 == " " }
                if !remark.isEmpty { entries.append(Entry(number: place + 1, .remark(String(remark)))) }
            } else {
                entries.append(Entry(number: place + 1, .song(Self.song(words))))
            }
        }
    }

    /// The line without the signs that control a terminal, and without blanks around it.
    static func cleaned(_ line: Substring) -> String {
        let visible = line.unicodeScalars.prefix(longestLine).filter {
            switch $0.properties.generalCategory {
            case .control: $0 == "\t"
            case .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: false
            default: true
            }
        }
        var text = String.UnicodeScalarView()
        text.append(contentsOf: visible)
        var words = String(text)[...]
        while let first = words.first, first.isWhitespace { words.removeFirst() }
        while let last = words.last, last.isWhitespace { words.removeLast() }
        return String(words)
    }

    /// What a line names that is no remark. A backslash before a title says that nothing of it is a bullet, a remark or a key.
    private static func song(_ line: String) -> SongTitle {
        line.hasPrefix(escape) && line != escape ? SongTitle(asItIs: line.dropFirst()) : SongTitle(withoutBullet(line))
    }

    private static let escape = String(SongTitle.escape)

    /// Drops `1. `, `1) `, `- ` or `• ` from the beginning of a line, and a number before a tab.
    private static func withoutBullet(_ line: String) -> String {
        let digits = line.prefix { ("0"..."9").contains($0) }
        let rest = line.dropFirst(digits.count)
        let isBullet = (1...3).contains(digits.count) ? ".)\t" : digits.isEmpty ? "-*•·–—" : ""
        guard let sign = rest.first, isBullet.contains(sign), sign == "\t" || rest.dropFirst().first?.isWhitespace == true else {
            return line
        }
        let title = rest.dropFirst().drop(while: \.isWhitespace)
        return title.isEmpty ? line : String(title)
    }
}

extension SetList {
    /// The text of a list with these lines: read again, it gives the same lines. Pauses that are beside no song are left out, as in a list
    /// that is read.
    public static func text(of lines: [Line]) throws(Trouble) -> String {
        guard lines.count <= mostEntries else {
            throw Trouble(.senseless(because: nil), "A list has at most \(mostEntries) lines; make two sets of it.")
        }
        guard lines.contains(where: { if case .song = $0 { true } else { false } }) else {
            throw Trouble(.senseless(because: nil), "A set needs a song. Add one, then save it again.")
        }
        var (text, isPause) = ("", false)
        for line in lines {
            if line == .pause {
                isPause = !text.isEmpty
                continue
            }
            let next = try written(line)
            text += (isPause ? "\n" : "") + next + "\n"
            isPause = false
        }
        return text
    }

    /// A line in the first form that is read as the same.
    private static func written(_ line: Line) throws(Trouble) -> String {
        let given: String
        let wanted: Line
        let forms: [String]
        switch line {
        case .pause: return ""
        case .remark(let remark):
            given = remark
            let words = String(cleaned(remark[...]).drop { $0 == "#" || $0 == " " })
            wanted = .remark(words)
            forms = ["# \(words)"]
        case .song(let song):
            given = song.title
            wanted = line
            forms = [song.title + song.details, escape + song.title + escape + song.details]
        }
        for form in forms where given.unicodeScalars.count <= longestLine {
            let list = SetList(form)
            if list.entries.map(\.line) == [wanted], !list.isCut { return form }
        }
        throw Trouble(
            .senseless(because: nil),
            given.allSatisfy(\.isWhitespace)
                ? "A line has no title; give it one, or remove it."
                : "“\(given.prefix(40))” cannot be a line of a list; give it another title of at most \(longestLine - 20) letters.")
    }
}
