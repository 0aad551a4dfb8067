/// How large a JSON text from outside may be in each of its dimensions; whatever is larger is refused as a whole.
public struct JSONLimits: Hashable, Sendable {
    /// Bytes of the text.
    public var bytes: Int
    /// Lists and objects within each other. A layer of the service uses 8.
    public var depth: Int
    /// Values of any kind, of which a point takes three.
    public var values: Int

    /// Limits that an answer of the service and a file of marks keep to with ease, and that cost some hundred megabytes for a
    /// moment where somebody uses them up.
    public init(bytes: Int = 128 << 20, depth: Int = 40, values: Int = 2_500_000) {
        self.bytes = bytes
        self.depth = depth
        self.values = values
    }
}

/// Why a JSON text was not read, and where.
public struct JSONFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// What kind of fault it is, for whoever decides what to do about it.
    public enum Reason: Hashable, Sendable {
        /// It ends in the middle.
        case unfinished
        /// It is no JSON.
        case malformed
        /// It has more of something than its limits allow.
        case tooLarge
    }

    public let reason: Reason
    /// What is wrong: the rest of a sentence that begins with what was read.
    public let sentence: String
    /// Both count from 1, the column in bytes.
    public let line: Int
    public let column: Int

    public var description: String { "\(sentence) (line \(line), column \(column))" }
}
