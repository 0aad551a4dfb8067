/// A pattern for whole file names: `*` stands for any text, `?` for any one character, all else for itself in either case.
public struct FilenamePattern: Hashable, Sendable, CustomStringConvertible {
    /// As it was written.
    public let text: String
    private let parts: [Character]

    /// Takes a pattern; every text is one.
    public init(_ text: String) {
        self.text = text
        parts = Array(text.lowercased())
    }

    public var description: String { text }

    /// Whether the whole of `name` is as the pattern says.
    public func matches(_ name: String) -> Bool {
        let name = Array(name.lowercased())
        var (place, next) = (0, 0)
        // Where the last star stands, and how far into the name it reaches so far.
        var star: (next: Int, place: Int)?
        while place < name.count {
            if next < parts.count, parts[next] == "*" {
                star = (next, place)
                next += 1
            } else if next < parts.count, parts[next] == "?" || parts[next] == name[place] {
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
        return parts[next...].allSatisfy { $0 == "*" }
    }
}
