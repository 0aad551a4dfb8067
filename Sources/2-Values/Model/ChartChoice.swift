/// Decides which of a plan's PDFs are charts for this musician, since a drummer does not want thirty parts. By default, all PDFs
/// are charts.
public struct ChartChoice: Hashable, Sendable {
    /// The kinds of things that an attachment may belong to.
    public enum Owner: String, CaseIterable, Hashable, Sendable {
        case song, arrangement, key, item, plan
    }

    /// PDFs that were not uploaded. The service makes them, or they are drawn here.
    public enum Generated: String, CaseIterable, Hashable, Sendable {
        case chordChart = "chord-chart"
        case lyricChart = "lyric-chart"
        case chordChartPro = "chord-chart-pro"
        /// Charts drawn here from the song's words and chords, in place of the service's chord charts.
        case own

        /// The kinds that the service makes.
        public static let usual: Set<Generated> = [.chordChart, .lyricChart, .chordChartPro]
    }

    /// The rules for one service type.
    public struct Rules: Hashable, Sendable {
        /// If this list is not empty, only files that match one of its patterns are charts.
        public var include: [FilenamePattern]
        /// Files that match one of these patterns are not charts, even if they match `include`.
        public var exclude: [FilenamePattern]
        /// The kinds of owners whose files are charts.
        public var owners: Set<Owner>
        /// The kinds of generated files that are charts. Such a file must also comply with the other rules.
        public var generated: Set<Generated>
        /// The notation of chords in charts that are drawn here.
        public var writing: SongView.Writing
        /// The players whose own parts are drawn of songs in files.
        public var players: [String]
        /// The instrument whose diagrams are drawn with songs; `nil` for none.
        public var diagrams: SongText.Diagrams?

        /// Makes rules. By default, no file is excluded.
        public init(
            include: [FilenamePattern] = [], exclude: [FilenamePattern] = [], owners: Set<Owner> = Set(Owner.allCases),
            generated: Set<Generated> = Generated.usual, writing: SongView.Writing = .letters, players: [String] = [],
            diagrams: SongText.Diagrams? = nil
        ) {
            (self.include, self.exclude, self.owners, self.generated, self.writing) = (include, exclude, owners, generated, writing)
            (self.players, self.diagrams) = (players, diagrams)
        }

        /// What identifies a song's drawing besides its text: the players and the instrument that were chosen for songs in files.
        public var wishes: [String] { players + (diagrams.map { ["with diagrams", $0.rawValue] } ?? []) }

        /// All rules as one text. Equal rules have equal texts.
        public var text: String {
            let drawn = (players.isEmpty ? [] : ["players \(players)"]) + (diagrams.map { ["diagrams \($0.rawValue)"] } ?? [])
            let rules = [
                "include \(include.map(\.text))", "exclude \(exclude.map(\.text))", "owners \(owners.map(\.rawValue).sorted())",
                "generated \(generated.map(\.rawValue).sorted())", "writing \(writing.rawValue)",
            ]
            return (rules + drawn).joined(separator: " ")
        }

        /// The rule that excludes a file, in words; `nil` if no rule does. `owners` are the kinds of all owners of the file, at least one.
        public func ruleAgainst(filename: String, owners: Set<Owner>, generated: Generated?) -> String? {
            if let generated, !self.generated.contains(generated), !(generated == .chordChart && self.generated.contains(.own)) {
                return "no generated charts of the kind \(generated.rawValue)"
            }
            if self.owners.isDisjoint(with: owners) {
                let names = Owner.allCases.filter { owners.contains($0) }.map(\.rawValue)
                return "no files of the owner \(names.joined(separator: ", "))"
            }
            if let pattern = exclude.first(where: { $0.matches(filename) }) { return "exclude \(pattern)" }
            if !include.isEmpty, !include.contains(where: { $0.matches(filename) }) {
                return "include \(include.map(\.text).joined(separator: ", "))"
            }
            return nil
        }
    }

    /// The rules for service types without rules of their own.
    public var usual: Rules
    /// The rules for particular service types, which replace `usual` as a whole.
    public var byServiceType: [ServiceTypeID: Rules]

    /// Makes a choice. By default, all PDFs are charts.
    public init(usual: Rules = Rules(), byServiceType: [ServiceTypeID: Rules] = [:]) {
        (self.usual, self.byServiceType) = (usual, byServiceType)
    }

    public func rules(for serviceType: ServiceTypeID) -> Rules { byServiceType[serviceType] ?? usual }
}

/// A pattern for whole file names. `*` stands for any text and `?` for any one character. Others match themselves, ignoring case.
public struct FilenamePattern: Hashable, Sendable, CustomStringConvertible {
    /// The pattern as written.
    public let text: String
    private let parts: [Character]
    /// The pattern in lower case, if it has only ASCII characters; otherwise `nil`.
    private let bytes: [UInt8]?

    /// Makes a pattern. Every text is valid.
    public init(_ text: String) {
        self.text = text
        parts = Array(text.lowercased())
        bytes = Self.ascii(text)
    }

    public var description: String { text }

    /// Whether the whole name matches the pattern.
    public func matches(_ name: String) -> Bool {
        var name = name
        return name.withUTF8 { matches(UnsafeRawBufferPointer($0)) }
    }

    /// Whether the whole name, given as bytes, matches the pattern. Bytes that are not valid text match only `*` and `?`.
    public func matches(_ name: UnsafeRawBufferPointer) -> Bool {
        // Be fast for plain ASCII, as most names are: fifty thousand names are matched when the program starts.
        if let bytes, let first = name.first, let last = name.last, !Self.mayBegin(bytes.first, first) || !Self.mayBegin(bytes.last, last) {
            return false
        }
        if let bytes, name.allSatisfy(Self.isPlain) {
            return bytes.withUnsafeBufferPointer { bytes in
                Self.matches(count: name.count, bytes, many: UInt8(ascii: "*"), one: UInt8(ascii: "?")) { Self.small(name[$0]) }
            }
        }
        let signs = Array(String(decoding: name, as: UTF8.self).lowercased())
        return parts.withUnsafeBufferPointer { Self.matches(count: signs.count, $0, many: "*", one: "?") { signs[$0] } }
    }

    /// Whether a name's first or last byte may match the pattern's first or last character. A non-ASCII byte always may. An ASCII byte is
    /// a whole character or a part of a non-ASCII one, so it matches no other ASCII character.
    @inline(__always)
    private static func mayBegin(_ sign: UInt8?, _ byte: UInt8) -> Bool {
        guard let sign, sign != UInt8(ascii: "*"), sign != UInt8(ascii: "?"), byte < 0x80 else { return true }
        return sign == small(byte)
    }

    /// The text in lower case as bytes, if each of its characters is a single byte.
    private static func ascii(_ text: String) -> [UInt8]? {
        text.utf8.allSatisfy(isPlain) ? text.utf8.map(small) : nil
    }

    /// Whether the byte is always a character of its own. A carriage return is not: together with a line feed, it forms one character.
    private static func isPlain(_ byte: UInt8) -> Bool { byte < 0x80 && byte != 0x0d }

    private static func small(_ byte: UInt8) -> UInt8 { (0x41...0x5a).contains(byte) ? byte + 0x20 : byte }

    @inline(__always)
    private static func matches<Sign: Equatable>(
        count: Int, _ parts: UnsafeBufferPointer<Sign>, many: Sign, one: Sign, _ name: (Int) -> Sign
    ) -> Bool {
        var (place, next) = (0, 0)
        // The last star: its index in the pattern, and the end of the text that the star stands for so far.
        var star: (next: Int, place: Int)?
        while place < count {
            if next < parts.count, parts[next] == many {
                star = (next, place)
                next += 1
            } else if next < parts.count, parts[next] == one || parts[next] == name(place) {
                next += 1
                place += 1
            } else if let last = star {
                // Let the last star stand for one more character. Earlier stars need not change, since the text between them was found.
                star = (last.next, last.place + 1)
                (next, place) = (last.next + 1, last.place + 1)
            } else {
                return false
            }
        }
        return parts[next...].allSatisfy { $0 == many }
    }
}
