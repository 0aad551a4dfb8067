/// Something that proves who we are. It never shows itself in text: not in a log, an error or a dump.
public struct Secret: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The words themselves, for whoever sends them.
    public let revealed: String

    /// Wraps a secret.
    public init(_ text: String) {
        revealed = text
    }

    public var description: String { "(secret)" }
    public var debugDescription: String { "(secret)" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
