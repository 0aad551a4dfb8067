/// The account whose plans the service sends: a person, and the person's organisation.
public struct ServiceAccount: Hashable, Sendable, Codable {
    /// A person or organisation at the service, with its name for people.
    public struct Party: Hashable, Sendable, Codable {
        public let id: String
        public let name: String

        public init(id: String, name: String) { (self.id, self.name) = (id, name) }
    }

    public let person: Party
    /// `nil` if the service does not name an organisation.
    public let organisation: Party?

    public init(person: Party, organisation: Party?) { (self.person, self.organisation) = (person, organisation) }

    /// Whether both may be the same account, because all ids that both have are equal. Names are ignored, since they may change.
    public func isSame(as other: ServiceAccount) -> Bool {
        guard person.id == other.person.id else { return false }
        guard let organisation, let theirs = other.organisation else { return true }
        return organisation.id == theirs.id
    }
}

extension ServiceAccount: CustomStringConvertible {
    public var description: String { organisation.map { "\(person) of \($0)" } ?? "\(person)" }
}

extension ServiceAccount.Party: CustomStringConvertible {
    public var description: String { name.isEmpty ? id : "\(name) (\(id))" }
}

/// The settings, by name, that the service was polled with. If the settings have changed since then, the data here may not fit the
/// present ones.
public struct AskedSettings: Hashable, Sendable, Codable {
    public let values: [String: String]
    /// The defaults of this program's settings. A poll by a program that did not know a setting counts as one with its default.
    private var defaults: [String: String] = [:]
    /// Whether not the musician, but somebody who manages the machine chose which files are charts. A plan without any charts is then
    /// intended.
    public var isChoiceGiven = false

    private enum CodingKeys: CodingKey {
        case values
    }

    public init(_ values: [String: String], defaults: [String: String] = [:]) { (self.values, self.defaults) = (values, defaults) }

    public static func == (asked: AskedSettings, other: AskedSettings) -> Bool { asked.values == other.values }

    public func hash(into hasher: inout Hasher) { hasher.combine(values) }

    /// The names of the settings that differ.
    public func differences(from other: AskedSettings) -> [String] {
        func value(_ name: String, in asked: AskedSettings) -> String? { asked.values[name] ?? defaults[name] ?? other.defaults[name] }
        return Set(values.keys).union(other.values.keys).filter { value($0, in: self) != value($0, in: other) }.sorted()
    }
}

/// A complete answer of the service, kept so that the service need not send it again.
public struct StoredAnswer: Hashable, Sendable {
    /// The service's tag for this state of the answer.
    public let etag: String
    public let body: [UInt8]
    /// When the service last sent the answer in full.
    public let sentAt: Timestamp

    public init(etag: String, body: [UInt8], sentAt: Timestamp) { (self.etag, self.body, self.sentAt) = (etag, body, sentAt) }

    public var size: Int { etag.utf8.count + body.count }
}

/// A wait before the next request to the service.
public struct ServiceWait: Hashable, Sendable, Codable {
    /// How many seconds are left.
    public var seconds: Int
    /// Whether the service requested the wait. Otherwise, we wait because the musician's other apps share the service's limit.
    public var isAsked: Bool

    /// Describes a wait. The time left is rounded up to whole seconds.
    public init(_ left: Duration, isAsked: Bool) {
        seconds = Int((left + .milliseconds(999)).components.seconds)
        self.isAsked = isAsked
    }

    public var words: String {
        "waiting \(seconds) s, " + (isAsked ? "as the service asks" : "to stay within half of the service's rate limit")
    }
}

/// Something that did not work. It does not affect anything that is already here, and is reported to the user in one line.
public struct Setback: Hashable, Sendable, Codable, CustomStringConvertible {
    /// The thing that is affected, in the user's terms: a plan, a chart, the service.
    public let subject: String
    public let message: String
    /// The message without its advice, for displays with little room; `nil` if there is no such text. It is not encoded.
    public private(set) var brief: String?

    private enum CodingKeys: CodingKey {
        case subject, message
    }

    public init(_ subject: String, _ message: String, brief: String? = nil) {
        (self.subject, self.message, self.brief) = (subject, message, brief)
    }

    /// The subject of a setback that affects the service as a whole.
    public static let service = "service"

    public var isOfService: Bool { subject == Self.service }

    /// Combines setbacks with the same message into one, so that a problem with fourteen charts is reported once.
    public static func folded(_ setbacks: [Setback]) -> [Setback] {
        var messages: [String] = []
        var briefs: [String: String] = [:]
        var subjects: [String: [String]] = [:]
        for setback in setbacks {
            if subjects[setback.message] == nil { messages.append(setback.message) }
            if let brief = setback.brief { briefs[setback.message] = brief }
            guard subjects[setback.message]?.contains(setback.subject) != true else { continue }
            subjects[setback.message, default: []].append(setback.subject)
        }
        return messages.map { message in
            let befallen = subjects[message] ?? []
            let subject = befallen.count > 2 ? "\(befallen[0]) and \(befallen.count - 1) others" : befallen.joined(separator: ", ")
            return Setback(subject, message, brief: briefs[message])
        }
    }

    public var description: String { "\(subject): \(message)" }
}

/// The problem of all polls since the service last answered in full. People can play from the charts here, but these may be out of date.
public struct FailingPolls: Hashable, Sendable {
    public let since: Timestamp
    /// The problem of the last poll, in words for people.
    public let reason: String
    /// The reason without advice; `nil` if there is no such text.
    public let brief: String?

    public init(since: Timestamp, reason: String, brief: String? = nil) {
        (self.since, self.reason, self.brief) = (since, reason, brief)
    }

    /// Whether the problem is the same. Times in seconds or milliseconds are ignored, since they differ between requests to wait.
    public func isSame(as other: FailingPolls) -> Bool {
        let time = /[0-9]+ m?s\b/
        return reason.replacing(time, with: "") == other.reason.replacing(time, with: "")
            && brief?.replacing(time, with: "") == other.brief?.replacing(time, with: "")
    }
}
