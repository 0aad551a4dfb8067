/// Something that did not work. Nothing that is already here is lost by it, and it is reported to the user in one line.
public struct Setback: Hashable, Sendable, Codable, CustomStringConvertible {
    /// What was affected, in the user's terms: a plan, a chart, the service.
    public let subject: String
    /// What happened and what to do.
    public let message: String

    /// Makes a setback.
    public init(_ subject: String, _ message: String) {
        self.subject = subject
        self.message = message
    }

    /// One setback for all that have the same message: what affects fourteen charts is reported once.
    public static func folded(_ setbacks: [Setback]) -> [Setback] {
        var messages: [String] = []
        var subjects: [String: [String]] = [:]
        for setback in setbacks {
            if subjects[setback.message] == nil { messages.append(setback.message) }
            guard subjects[setback.message]?.contains(setback.subject) != true else { continue }
            subjects[setback.message, default: []].append(setback.subject)
        }
        return messages.map { message in
            let befallen = subjects[message] ?? []
            guard befallen.count > 2 else { return Setback(befallen.joined(separator: ", "), message) }
            return Setback("\(befallen[0]) and \(befallen.count - 1) others", message)
        }
    }

    public var description: String { "\(subject): \(message)" }
}
