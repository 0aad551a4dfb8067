/// A pattern for whole file names: `*` stands for any text, `?` for any one character, all else for itself in either case.
public struct FilenamePattern: Hashable, Sendable, CustomStringConvertible {
    /// As it was written.
    public let text: String
    private let parts: [Character]
    /// The same in ASCII, if it is nothing else.
    private let bytes: [UInt8]?

    /// Takes a pattern; every text is one.
    public init(_ text: String) {
        self.text = text
        parts = Array(text.lowercased())
        bytes = Self.ascii(text)
    }

    public var description: String { text }

    /// Whether the whole of `name` is as the pattern says.
    public func matches(_ name: String) -> Bool {
        // Most names are plain, and fifty thousand of them are matched at a start.
        if let bytes, let name = Self.ascii(name) {
            return Self.matches(name, bytes, many: UInt8(ascii: "*"), one: UInt8(ascii: "?"))
        }
        return Self.matches(Array(name.lowercased()), parts, many: "*", one: "?")
    }

    /// In small letters, if every character is a byte.
    private static func ascii(_ text: String) -> [UInt8]? {
        // Of what is plain, only a line's two-byte end is one character.
        guard text.utf8.allSatisfy({ $0 < 0x80 && $0 != 0x0d }) else { return nil }
        return text.utf8.map { (0x41...0x5a).contains($0) ? $0 + 0x20 : $0 }
    }

    private static func matches<Sign: Equatable>(_ name: [Sign], _ parts: [Sign], many: Sign, one: Sign) -> Bool {
        var (place, next) = (0, 0)
        // Where the last star stands, and how far into the name it reaches so far.
        var star: (next: Int, place: Int)?
        while place < name.count {
            if next < parts.count, parts[next] == many {
                star = (next, place)
                next += 1
            } else if next < parts.count, parts[next] == one || parts[next] == name[place] {
                next += 1
                place += 1
            } else if let last = star {
                // The last star takes one more; an earlier one need not, since the part between was found already.
                star = (last.next, last.place + 1)
                (next, place) = (last.next + 1, last.place + 1)
            } else {
                return false
            }
        }
        return parts[next...].allSatisfy { $0 == many }
    }
}
