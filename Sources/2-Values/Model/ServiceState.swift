/// Whose plans the service sends: a person, and the organisation that they belong to.
public struct ServiceAccount: Hashable, Sendable, Codable {
    /// A resource of the service, and what people call it.
    public struct Party: Hashable, Sendable, Codable {
        public let id: String
        public let name: String

        public init(id: String, name: String) { (self.id, self.name) = (id, name) }
    }

    public let person: Party
    /// `nil` if the service does not say.
    public let organisation: Party?

    public init(person: Party, organisation: Party?) { (self.person, self.organisation) = (person, organisation) }

    /// Whether nothing that both know tells them apart; names may change.
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

/// The settings with which the service was asked, by name: what is here does not tell what other settings would bring.
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
    /// What the service calls this state of it.
    public let etag: String
    public let body: [UInt8]
    /// When it was last sent in full.
    public let toldAt: Timestamp

    public init(etag: String, body: [UInt8], toldAt: Timestamp) { (self.etag, self.body, self.toldAt) = (etag, body, toldAt) }

    public var size: Int { etag.utf8.count + body.count }
}

/// A pause before the service is asked again.
public struct ServiceWait: Hashable, Sendable, Codable {
    /// How much longer it takes.
    public var seconds: Int
    /// Whether the service asked for it; otherwise it is ours, since the musician's other apps share the service's limit.
    public var isAsked: Bool

    /// Describes a wait; of a begun second, all counts.
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

    public init(_ subject: String, _ message: String) { (self.subject, self.message) = (subject, message) }

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

/// What polls have met since the service last answered in full. What is here can be played from, but there may be newer charts.
public struct FailingPolls: Hashable, Sendable {
    public let since: Timestamp
    /// What the last of them met, in words for people.
    public let reason: String

    public init(since: Timestamp, reason: String) { (self.since, self.reason) = (since, reason) }
}
