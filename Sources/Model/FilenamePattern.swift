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
        var name = name
        return name.withUTF8 { matches(UnsafeRawBufferPointer($0)) }
    }

    /// Whether the whole of a name is as the pattern says; what is no text in it is like nothing but `*` and `?`.
    public func matches(_ name: UnsafeRawBufferPointer) -> Bool {
        // Most names are plain, and fifty thousand of them are matched at a start.
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

    /// Whether a name's outermost byte may be what a pattern's asks for. An ASCII byte is either a character or part of one that is
    /// not in ASCII.
    @inline(__always)
    private static func mayBegin(_ sign: UInt8?, _ byte: UInt8) -> Bool {
        guard let sign, sign != UInt8(ascii: "*"), sign != UInt8(ascii: "?"), byte < 0x80 else { return true }
        return sign == small(byte)
    }

    /// In small letters, if every character is a byte.
    private static func ascii(_ text: String) -> [UInt8]? {
        text.utf8.allSatisfy(isPlain) ? text.utf8.map(small) : nil
    }

    /// Of what is plain, only a line's two-byte end is one character.
    private static func isPlain(_ byte: UInt8) -> Bool { byte < 0x80 && byte != 0x0d }

    private static func small(_ byte: UInt8) -> UInt8 { (0x41...0x5a).contains(byte) ? byte + 0x20 : byte }

    @inline(__always)
    private static func matches<Sign: Equatable>(
        count: Int, _ parts: UnsafeBufferPointer<Sign>, many: Sign, one: Sign, _ name: (Int) -> Sign
    ) -> Bool {
        var (place, next) = (0, 0)
        // Where the last star stands, and how far into the name it reaches so far.
        var star: (next: Int, place: Int)?
        while place < count {
            if next < parts.count, parts[next] == many {
                star = (next, place)
                next += 1
            } else if next < parts.count, parts[next] == one || parts[next] == name(place) {
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
