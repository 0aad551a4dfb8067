/// The limits for a JSON text from outside. A text that exceeds any of them is refused as a whole.
public struct JSONLimits: Hashable, Sendable {
    public enum Container: Hashable, Sendable {
        case object
        case list
    }

    /// A kind of values with a limit of its own: all values at the same position in the structure of the text.
    public struct Counted: Hashable, Sendable {
        /// What a message calls the values if there are too many of them.
        let name: String
        /// The kinds of the lists and objects that contain the values, from the outside.
        let place: [Container]
        /// Whether only lists are counted, and other values are ignored.
        let isList: Bool
        let most: Int

        public init(_ name: String, in place: [Container], onlyLists isList: Bool = false, most: Int) {
            (self.name, self.place, self.isList, self.most) = (name, place, isList, most)
        }
    }

    public var bytes: Int
    /// The greatest depth of nested lists and objects. A layer of the service uses 8.
    public var depth: Int
    /// The greatest number of values of any kind. A point counts as three values or more: its list, and each number in the list.
    public var values: Int
    public var counted: [Counted]
    /// Whether a name may occur twice in the outermost object. If it may, the last one counts.
    public var allowsRepeats: Bool

    /// By default, the limits are far above the service's answers and mark files. A text at these limits takes some hundred MB for
    /// a moment.
    public init(
        bytes: Int = 128 << 20, depth: Int = 40, values: Int = 2_500_000, counted: [Counted] = [], allowsRepeats: Bool = true
    ) {
        (self.bytes, self.depth, self.values, self.counted, self.allowsRepeats) = (bytes, depth, values, counted, allowsRepeats)
    }
}

/// Why a JSON text was not read, and where.
public struct JSONFault: Error, Sendable, CustomStringConvertible {
    public enum Reason: Hashable, Sendable {
        /// The text ends too early.
        case unfinished
        /// The text is not JSON.
        case malformed
        /// The text exceeds a limit.
        case tooLarge
    }

    public let reason: Reason
    /// The fault in words, which follow the name of the text that was read.
    public let sentence: String
    /// The name that occurs twice in the outermost object, shortened to 40 characters; `nil` for any other fault.
    public let name: String?
    /// The line of the fault and, below, the column, both counted from 1. The column counts bytes.
    public let line: Int
    public let column: Int
    /// The outermost object with the members that are complete before the fault; `nil` if there are none, or the
    /// outermost value is no object.
    public let before: JSONPart?

    public var description: String { "\(sentence) (line \(line), column \(column))" }
}
