/// A proof of identity, such as a password. It never appears in text: not in a log, an error or a dump.
public struct Secret: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The secret in plain text, for the code that sends it.
    public let revealed: String

    public init(_ text: String) {
        revealed = text
    }

    public var description: String { "(secret)" }
    public var debugDescription: String { "(secret)" }
    public var customMirror: Mirror { Mirror(self, children: []) }

    /// 256 random bits as hexadecimal digits.
    public static func random() -> Secret {
        let digits = (0..<4).map { _ in
            let digits = String(UInt64.random(in: .min ... .max), radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }
        return Secret(digits.joined())
    }

    /// Whether a text is this secret. Checking takes equally long for all texts of its length, so the time reveals nothing.
    public func isSame(as text: String) -> Bool {
        let (one, other) = (Array(revealed.utf8), Array(text.utf8))
        guard one.count == other.count else { return false }
        return zip(one, other).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}

/// Random numbers, for code that spreads its attempts over time; tests replace them by a seeded source.
@LoopActor
public protocol RandomSource: AnyObject {
    func next() -> UInt64
}

extension RandomSource {
    /// A number from 0 to just below 1.
    public func fraction() -> Double { Double(next() >> 11) * 0x1p-53 }
}

public final class SystemRandomness: RandomSource {
    public nonisolated init() {}

    public func next() -> UInt64 { UInt64.random(in: .min ... .max) }
}
