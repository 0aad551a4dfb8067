/// Something that did not work, costs nothing that is already here, and is told to the user in one line.
public struct Setback: Hashable, Sendable, CustomStringConvertible {
    /// What it befell, as the user knows it: a plan, a chart, the service.
    public let subject: String
    /// What happened and what to do.
    public let message: String

    /// Makes a setback.
    public init(_ subject: String, _ message: String) {
        self.subject = subject
        self.message = message
    }

    public var description: String { "\(subject): \(message)" }
}
