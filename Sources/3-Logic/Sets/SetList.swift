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
    /// Whether the list has more lines than are read.
    public private(set) var isCut = false

    /// Nobody plays more in a day. A list that is longer is something else.
    public static let mostEntries = 500
    private static let longestLine = 200

    public init(_ text: String) {
        var isPause = false
        for (place, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            let words = Self.cleaned(line)
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
                entries.append(Entry(number: place + 1, .song(SongTitle(Self.withoutBullet(words)))))
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

    /// Drops `1. `, `1) `, `- ` or `• ` from the beginning of a line.
    private static func withoutBullet(_ line: String) -> String {
        let digits = line.prefix { ("0"..."9").contains($0) }
        let rest = line.dropFirst(digits.count)
        let isBullet = (1...3).contains(digits.count) ? ".)" : digits.isEmpty ? "-*•–" : ""
        guard let sign = rest.first, isBullet.contains(sign), rest.dropFirst().first?.isWhitespace == true else { return line }
        let title = rest.dropFirst().drop(while: \.isWhitespace)
        return title.isEmpty ? line : String(title)
    }
}
