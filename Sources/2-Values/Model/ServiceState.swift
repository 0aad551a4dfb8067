/// The account whose plans the service sends: a person, and the organisation that they belong to.
public struct ServiceAccount: Hashable, Sendable, Codable {
    /// A resource of the service, and its name for people.
    public struct Party: Hashable, Sendable, Codable {
        public let id: String
        public let name: String

        public init(id: String, name: String) { (self.id, self.name) = (id, name) }
    }

    public let person: Party
    /// `nil` if the service does not name one.
    public let organisation: Party?

    public init(person: Party, organisation: Party?) { (self.person, self.organisation) = (person, organisation) }

    /// Whether nothing that both have tells them apart; names may change.
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

/// The settings of requests to the service, by name: the data here does not show what other settings would bring.
public struct AskedSettings: Hashable, Sendable, Codable {
    public let values: [String: String]

    public init(_ values: [String: String]) { self.values = values }

    /// The names of the settings that are different in `other`.
    public func differences(from other: AskedSettings) -> [String] {
        Set(values.keys).union(other.values.keys).filter { values[$0] != other.values[$0] }.sorted()
    }
}

/// A complete answer of the service, kept so that it need not be sent again.
public struct StoredAnswer: Hashable, Sendable {
    /// The service's tag for this state of the answer.
    public let etag: String
    public let body: [UInt8]
    /// When it was last sent in full.
    public let sentAt: Timestamp

    public init(etag: String, body: [UInt8], sentAt: Timestamp) { (self.etag, self.body, self.sentAt) = (etag, body, sentAt) }

    public var size: Int { etag.utf8.count + body.count }
}

/// A pause before the service is asked again.
public struct ServiceWait: Hashable, Sendable, Codable {
    /// How much longer it takes.
    public var seconds: Int
    /// Whether the service asked for it; otherwise it is ours, since the musician's other apps share the service's limit.
    public var isAsked: Bool

    /// Describes a wait; a begun second counts in full.
    public init(_ left: Duration, isAsked: Bool) {
        seconds = Int((left + .milliseconds(999)).components.seconds)
        self.isAsked = isAsked
    }

    public var words: String {
        "waiting \(seconds) s, " + (isAsked ? "as the service asks" : "to stay within half of the service's rate limit")
    }
}

/// Something that did not work. Nothing that is already here is lost by it, and it is reported to the user in one line.
public struct Setback: Hashable, Sendable, Codable, CustomStringConvertible {
    /// What was affected, in the user's terms: a plan, a chart, the service.
    public let subject: String
    public let message: String
    /// The message without its advice, where there is little room; stays in this process.
    public private(set) var brief: String?

    private enum CodingKeys: CodingKey {
        case subject, message
    }

    public init(_ subject: String, _ message: String, brief: String? = nil) {
        (self.subject, self.message, self.brief) = (subject, message, brief)
    }

    /// What affects the service as a whole.
    public static let service = "service"

    public var isOfService: Bool { subject == Self.service }

    /// One setback for all that have the same message: what affects fourteen charts is reported once.
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

/// The trouble of polls since the service last answered in full. The charts here can be played from, but there may be newer ones.
public struct FailingPolls: Hashable, Sendable {
    public let since: Timestamp
    /// The trouble of the last poll, in words for people.
    public let reason: String
    /// The same without advice; `nil` if it gives none.
    public let brief: String?

    public init(since: Timestamp, reason: String, brief: String? = nil) {
        (self.since, self.reason, self.brief) = (since, reason, brief)
    }

    /// Whether it is the same trouble: only the time differs between two requests to wait for some seconds.
    public func isSame(as other: FailingPolls) -> Bool {
        let time = /[0-9]+ m?s\b/
        return reason.replacing(time, with: "") == other.reason.replacing(time, with: "")
            && brief?.replacing(time, with: "") == other.brief?.replacing(time, with: "")
    }
}
