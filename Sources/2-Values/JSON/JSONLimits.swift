/// How large a JSON text from outside may be in each respect; anything larger is refused as a whole.
public struct JSONLimits: Hashable, Sendable {
    public enum Container: Hashable, Sendable {
        case object
        case list
    }

    /// Values in one place, with a limit of their own.
    public struct Counted: Hashable, Sendable {
        /// The name of the values in a fault's sentence.
        let name: String
        /// The lists and objects around them, from the outside.
        let place: [Container]
        /// Whether only lists count.
        let isList: Bool
        let most: Int

        public init(_ name: String, in place: [Container], onlyLists isList: Bool = false, most: Int) {
            (self.name, self.place, self.isList, self.most) = (name, place, isList, most)
        }
    }

    public var bytes: Int
    /// How deep lists and objects may be nested. A layer of the service uses 8.
    public var depth: Int
    /// Values of any kind; a point takes three.
    public var values: Int
    public var counted: [Counted]
    /// Whether a name may stand twice in the outermost object, where the last one counts.
    public var allowsRepeats: Bool

    /// Limits that are far above the service's answers and mark files. A text that uses them up costs some hundred megabytes for a moment.
    public init(
        bytes: Int = 128 << 20, depth: Int = 40, values: Int = 2_500_000, counted: [Counted] = [], allowsRepeats: Bool = true
    ) {
        (self.bytes, self.depth, self.values, self.counted, self.allowsRepeats) = (bytes, depth, values, counted, allowsRepeats)
    }
}

/// Why a JSON text was not read, and where.
public struct JSONFault: Error, Sendable, CustomStringConvertible {
    public enum Reason: Hashable, Sendable {
        /// It ends in the middle.
        case unfinished
        /// It is not JSON.
        case malformed
        /// It has more of something than its limits allow.
        case tooLarge
    }

    public let reason: Reason
    /// The fault, to be put after the name of what was read.
    public let sentence: String
    /// The name in the outermost value that is the reason, if it is one.
    public let name: String?
    /// Both are counted from 1, the column in bytes.
    public let line: Int
    public let column: Int
    /// The outermost value if it is an object, with the members that were complete before that place.
    public let before: JSONPart?

    public var description: String { "\(sentence) (line \(line), column \(column))" }
}
