public import Model

/// Why a mark file could not be understood, with the place in it, for people.
public struct MarkFileFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of fault, for code that decides what to do about it.
    public enum Reason: Hashable, Sendable {
        /// It is being written at this moment, or was left half-written: it may soon be complete.
        case unfinished
        case missing
        /// It is not a regular file, or may not be read.
        case unreadable
        /// It is larger than a mark file may be, in one way or another.
        case tooLarge
        case malformed
    }

    /// Where in a file something is.
    public enum Place: Hashable, Sendable, CustomStringConvertible {
        /// In the text, after unpacking if it was packed; both count from 1, the column in bytes.
        case line(Int, column: Int)
        /// In the file's own bytes, counted from 0.
        case byte(Int)

        public var description: String {
            switch self {
            case .line(let line, let column): "line \(line), column \(column)"
            case .byte(let offset): "byte \(offset)"
            }
        }
    }

    public var reason: Reason
    /// `nil` if the fault is with the file as a whole.
    public var place: Place?
    /// The rest of a sentence that begins with the file's name.
    public var sentence: String
    /// The field of a layer that is the reason, as in `deleted.[3]`, if it is one.
    public var field: String?
    /// The chart that the file names before the fault; `nil` if it does not get that far.
    public var reference: MarkFile.Reference?

    public init(_ reason: Reason, _ sentence: String, at place: Place? = nil) {
        (self.reason, self.sentence, self.place) = (reason, sentence, place)
    }

    public var description: String { place.map { "\(sentence) (\($0))" } ?? sentence }

    /// This fault at `other`, unless it already has a place.
    func placed(at other: @autoclosure () -> Place) -> MarkFileFault {
        guard place == nil else { return self }
        var fault = self
        fault.place = other()
        return fault
    }

    /// This fault in a file that names a chart before it.
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
