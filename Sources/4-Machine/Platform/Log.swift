import Glibc
import Synchronization

/// Messages for a person, one line each. Standard error leads to the terminal or to the system's journal.
public final class Log: Sendable {
    /// The importance of a message.
    public enum Level: Int, Comparable, Sendable, CaseIterable {
        /// Internal steps, for finding faults.
        case debug
        case info
        /// A problem that passes by itself, or causes no loss.
        case warning
        /// A failure that requires somebody's attention.
        case error

        public static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }
    }

    private let sink: @Sendable (Level, String) -> Void

    /// Creates a log that passes every message to `sink`, whatever its level.
    public init(_ sink: @escaping @Sendable (Level, String) -> Void) { self.sink = sink }

    /// Writes messages of level `lowest` or higher to standard error.
    public static func standardError(from lowest: Level) -> Log {
        Log { level, message in
            guard level >= lowest else { return }
            // Control characters in a hostile title must not reach a terminal, and a message must stay one line.
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
