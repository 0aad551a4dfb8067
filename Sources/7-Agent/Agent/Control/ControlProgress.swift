import FoundationEssentials

/// The progress of work that a caller is waiting for.
public struct ControlProgress: Codable, Hashable, Sendable {
    /// How far all of the agent's work is just now; `nil` if nobody knows.
    public var progress: Progress?

    /// Says how far the work is.
    public init(_ progress: Progress? = nil) {
        self.progress = progress
    }

    /// The JSON, on one line.
    var json: [UInt8] { (try? JSONEncoder().encode(self)).map(Array.init) ?? Array("{}".utf8) }

    /// Reads a line of an answer that is not its last.
    public init?(line: [UInt8]) {
        guard let progress = try? JSONDecoder().decode(Self.self, from: Data(line)) else { return nil }
        self = progress
    }
}

extension ControlRefusal {
    private struct Line: Codable {
        struct Refusal: Codable {
            var status: Int
            var reason: String
        }
        var refused: Refusal
    }

    /// The JSON, on one line, for a refusal that comes too late to be a status.
    var json: [UInt8] { (try? JSONEncoder().encode(Line(refused: .init(status: status, reason: description)))).map(Array.init) ?? [] }

    /// Reads the last line of an answer; `nil` if it is not a refusal.
    public init?(line: [UInt8]) {
        guard let line = try? JSONDecoder().decode(Line.self, from: Data(line)) else { return nil }
        self.init(line.refused.status, line.refused.reason)
    }
}
