import Glibc
import Synchronization

/// Messages for the person at the terminal or in the journal: one line each, on standard error.
public final class Log: Sendable {
    /// How much a message matters.
    public enum Level: Int, Comparable, Sendable, CaseIterable {
        /// Internal steps, for somebody who is looking for a fault.
        case debug
        case info
        /// A problem that goes away by itself, or loses nothing.
        case warning
        /// A failure that needs somebody's attention.
        case error

        public static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }
    }

    private let sink: @Sendable (Level, String) -> Void

    /// Makes a log that passes every line to `sink`.
    public init(_ sink: @escaping @Sendable (Level, String) -> Void) { self.sink = sink }

    /// A log on standard error, from `level` upwards.
    public static func standardError(from lowest: Level) -> Log {
        Log { level, message in
            guard level >= lowest else { return }
            // Control characters of a hostile title must not reach a terminal; a message is one line.
            let safe = String(String.UnicodeScalarView(message.unicodeScalars.map { $0.value < 32 || $0.value == 127 ? " " : $0 }))
            var line = (level >= .warning ? "\(level): " : "") + safe + "\n"
            line.withUTF8 { _ = write(2, $0.baseAddress, $0.count) }
        }
    }

    public static let silent = Log { _, _ in }

    public func debug(_ message: @autoclosure () -> String) { sink(.debug, message()) }
    public func info(_ message: String) { sink(.info, message) }
    public func warning(_ message: String) { sink(.warning, message) }
    public func error(_ message: String) { sink(.error, message) }
}
