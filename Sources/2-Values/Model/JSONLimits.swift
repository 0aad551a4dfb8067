/// How large a JSON text from outside may be in each respect; anything larger is refused as a whole.
public struct JSONLimits: Hashable, Sendable {
    public var bytes: Int
    /// How deep lists and objects may be nested. A layer of the service uses 8.
    public var depth: Int
    /// Values of any kind; a point takes three.
    public var values: Int

    /// Limits that the service's answers and mark files keep to easily, and that cost some hundred megabytes for a
    /// moment if somebody uses them up.
    public init(bytes: Int = 128 << 20, depth: Int = 40, values: Int = 2_500_000) {
        (self.bytes, self.depth, self.values) = (bytes, depth, values)
    }
}

/// Why a JSON text was not read, and where.
public struct JSONFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of fault, for code that decides what to do about it.
    public enum Reason: Hashable, Sendable {
        case unfinished
        case malformed
        /// It has more of something than its limits allow.
        case tooLarge
    }

    public let reason: Reason
    /// What is wrong, to follow the name of what was read in a sentence.
    public let sentence: String
    /// Both are counted from 1, the column in bytes.
    public let line: Int
    public let column: Int

    public var description: String { "\(sentence) (line \(line), column \(column))" }
}
