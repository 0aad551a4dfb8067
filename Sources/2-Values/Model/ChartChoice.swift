/// Which of a plan's PDFs are charts for this musician: a drummer does not want thirty parts. By default, all are.
public struct ChartChoice: Hashable, Sendable {
    /// The kinds of things that an attachment can belong to.
    public enum Owner: String, CaseIterable, Hashable, Sendable {
        case song, arrangement, key, item, plan
    }

    /// PDFs that nobody uploaded: those that the service makes, and those that are drawn here.
    public enum Generated: String, CaseIterable, Hashable, Sendable {
        case chordChart = "chord-chart"
        case lyricChart = "lyric-chart"
        case chordChartPro = "chord-chart-pro"
        /// Drawn here from the song's words and chords, in place of the service's chord charts.
        case own

        /// Those of the service.
        public static let usual: Set<Generated> = [.chordChart, .lyricChart, .chordChartPro]
    }

    /// The rules for one service type.
    public struct Rules: Hashable, Sendable {
        /// If there are any, only files that match one of them are charts.
        public var include: [FilenamePattern]
        /// Files that match one of them are not charts, whatever the other rules say.
        public var exclude: [FilenamePattern]
        /// Whose files are charts.
        public var owners: Set<Owner>
        /// Which kinds of generated files are charts. Their file names have to fit as well.
        public var generated: Set<Generated>
        /// How chords are written in charts that are drawn here.
        public var writing: SongView.Writing

        /// Makes rules; the defaults leave nothing out.
        public init(
            include: [FilenamePattern] = [], exclude: [FilenamePattern] = [], owners: Set<Owner> = Set(Owner.allCases),
            generated: Set<Generated> = Generated.usual, writing: SongView.Writing = .letters
        ) {
            (self.include, self.exclude, self.owners, self.generated, self.writing) = (include, exclude, owners, generated, writing)
        }

        /// All rules in words; equal rules give equal words.
        public var text: String {
            [
                "include \(include.map(\.text))", "exclude \(exclude.map(\.text))", "owners \(owners.map(\.rawValue).sorted())",
                "generated \(generated.map(\.rawValue).sorted())", "writing \(writing.rawValue)",
            ].joined(separator: " ")
        }

        /// The rule that leaves a file out, in words; `nil` for a chart. `owners` are all that it belongs to, at least one.
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
    /// The rules for a service type, instead of `usual`.
    public var byServiceType: [ServiceTypeID: Rules]

    /// Makes a choice; the default is every PDF.
    public init(usual: Rules = Rules(), byServiceType: [ServiceTypeID: Rules] = [:]) {
        (self.usual, self.byServiceType) = (usual, byServiceType)
    }

    public func rules(for serviceType: ServiceTypeID) -> Rules { byServiceType[serviceType] ?? usual }
}

/// A pattern for whole file names: `*` stands for any text, `?` for any one character; everything else matches itself, ignoring case.
public struct FilenamePattern: Hashable, Sendable, CustomStringConvertible {
    /// As it was written.
    public let text: String
    private let parts: [Character]
    /// The same in ASCII, if it has no other characters.
    private let bytes: [UInt8]?

    /// Takes a pattern; every text is one.
    public init(_ text: String) {
        self.text = text
        parts = Array(text.lowercased())
        bytes = Self.ascii(text)
    }

    public var description: String { text }

    /// Whether all of `name` matches the pattern.
    public func matches(_ name: String) -> Bool {
        var name = name
        return name.withUTF8 { matches(UnsafeRawBufferPointer($0)) }
    }

    /// Whether all of a name matches the pattern; bytes that are not valid text match only `*` and `?`.
    public func matches(_ name: UnsafeRawBufferPointer) -> Bool {
        // Most names are plain ASCII, and fifty thousand of them are matched at a start.
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

    /// Whether a name's first or last byte may match the pattern's. An ASCII byte is a character by itself or part of one beyond
    /// ASCII: in neither case can another ASCII character match it.
    @inline(__always)
    private static func mayBegin(_ sign: UInt8?, _ byte: UInt8) -> Bool {
        guard let sign, sign != UInt8(ascii: "*"), sign != UInt8(ascii: "?"), byte < 0x80 else { return true }
        return sign == small(byte)
    }

    /// In lower case, if every character is a single byte.
    private static func ascii(_ text: String) -> [UInt8]? {
        text.utf8.allSatisfy(isPlain) ? text.utf8.map(small) : nil
    }

    /// The only character of two ASCII bytes is a carriage return with a line feed, so a carriage return is not plain.
    private static func isPlain(_ byte: UInt8) -> Bool { byte < 0x80 && byte != 0x0d }

    private static func small(_ byte: UInt8) -> UInt8 { (0x41...0x5a).contains(byte) ? byte + 0x20 : byte }

    @inline(__always)
    private static func matches<Sign: Equatable>(
        count: Int, _ parts: UnsafeBufferPointer<Sign>, many: Sign, one: Sign, _ name: (Int) -> Sign
    ) -> Bool {
        var (place, next) = (0, 0)
        // The place of the last star, and how far into the name it reaches so far.
        var star: (next: Int, place: Int)?
        while place < count {
            if next < parts.count, parts[next] == many {
                star = (next, place)
                next += 1
            } else if next < parts.count, parts[next] == one || parts[next] == name(place) {
                next += 1
                place += 1
            } else if let last = star {
                // The last star takes one more. An earlier one need not, since the part between the two was found already.
                star = (last.next, last.place + 1)
                (next, place) = (last.next + 1, last.place + 1)
            } else {
                return false
            }
        }
        return parts[next...].allSatisfy { $0 == many }
    }
}
