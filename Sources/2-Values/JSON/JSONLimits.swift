/// The limits for a JSON text from outside; a text that exceeds any of them is refused as a whole.
public struct JSONLimits: Hashable, Sendable {
    public enum Container: Hashable, Sendable {
        case object
        case list
    }

    /// Values at one place in the text, with a limit of their own.
    public struct Counted: Hashable, Sendable {
        /// The name of the values in a fault's sentence.
        let name: String
        /// The lists and objects that contain the values, from the outside.
        let place: [Container]
        /// Whether values other than lists are ignored.
        let isList: Bool
        let most: Int

        public init(_ name: String, in place: [Container], onlyLists isList: Bool = false, most: Int) {
            (self.name, self.place, self.isList, self.most) = (name, place, isList, most)
        }
    }

    public var bytes: Int
    /// The greatest depth of nested lists and objects. A layer of the service uses 8.
    public var depth: Int
    /// The greatest number of values of any kind; a point counts as three.
    public var values: Int
    public var counted: [Counted]
    /// Whether a name may occur twice in the outermost object, where the last one counts.
    public var allowsRepeats: Bool

    /// The defaults are far above the service's answers and mark files. A text at these limits takes some hundred megabytes for a moment.
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
    /// The fault in words; they follow the name of the text that was read.
    public let sentence: String
    /// The name in the outermost object that is at fault, if a name is.
    public let name: String?
    /// The place of the fault; line and column are counted from 1, the column in bytes.
    public let line: Int
    public let column: Int
    /// The outermost value, if it is an object: with the members that are complete before the fault.
    public let before: JSONPart?

    public var description: String { "\(sentence) (line \(line), column \(column))" }
}
