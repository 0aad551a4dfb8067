public import Model

/// Why a mark file cannot be read, and at which place, for people.
public struct MarkFileFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of fault, for code that reacts to it.
    public enum Reason: Hashable, Sendable {
        /// The file is being written, or was left half-written. It may be complete soon.
        case unfinished
        case missing
        /// The file is not a regular one, or permission to read it is missing.
        case unreadable
        /// The file exceeds one of the `MarkFileLimits`.
        case tooLarge
        case malformed
    }

    /// A place in a file.
    public enum Place: Hashable, Sendable, CustomStringConvertible {
        /// In the text, after any unpacking. Line and column count from 1, the column in bytes.
        case line(Int, column: Int)
        /// In the file's bytes on disk, counted from 0.
        case byte(Int)

        public var description: String {
            switch self {
            case .line(let line, let column): "line \(line), column \(column)"
            case .byte(let offset): "byte \(offset)"
            }
        }
    }

    public var reason: Reason
    /// `nil` if the fault concerns the file as a whole.
    public var place: Place?
    /// The rest of a sentence that begins with the file's name.
    public var sentence: String
    /// The field of a layer that is at fault, if any, as in `deleted.[3]`.
    public var field: String?
    /// The chart that the file names, as far as it could be read; `nil` if no chart's name was read.
    public var reference: MarkFile.Reference?

    public init(_ reason: Reason, _ sentence: String, at place: Place? = nil) {
        (self.reason, self.sentence, self.place) = (reason, sentence, place)
    }

    public var description: String { place.map { "\(sentence) (\($0))" } ?? sentence }

    /// The fault with its own place, or with `other` if it has none.
    func placed(at other: @autoclosure () -> Place) -> MarkFileFault {
        guard place == nil else { return self }
        var fault = self
        fault.place = other()
        return fault
    }

    /// This fault with the chart that the file names. If the file names none, the fault is unchanged.
    func of(_ reference: MarkFile.Reference) -> MarkFileFault {
        guard reference != MarkFile.Reference() else { return self }
        var fault = self
        fault.reference = reference
        return fault
    }

    /// The fault of a file with too many of something.
    static func tooMany(_ what: String, limit: Int) -> MarkFileFault {
        MarkFileFault(.tooLarge, "has more than \(limit) \(what)")
    }
}
