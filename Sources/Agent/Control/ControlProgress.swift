import FoundationEssentials

/// The progress of work that a caller is waiting for.
public struct ControlProgress: Codable, Hashable, Sendable {
    /// What all of the agent's work comes to just now; `nil` where nobody knows.
    public var progress: Progress?

    /// Tells how far the work is.
    public init(_ progress: Progress? = nil) {
        self.progress = progress
    }

    /// On one line.
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

    /// On one line, where it comes too late to be a status.
    var json: [UInt8] { (try? JSONEncoder().encode(Line(refused: .init(status: status, reason: description)))).map(Array.init) ?? [] }

    /// Reads the last line of an answer; `nil` where that is no refusal.
    public init?(line: [UInt8]) {
        guard let line = try? JSONDecoder().decode(Line.self, from: Data(line)) else { return nil }
        self.init(line.refused.status, line.refused.reason)
    }
}
