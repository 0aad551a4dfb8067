/// Whose plans the service sends: a person, and the organisation that they belong to.
public struct ServiceAccount: Hashable, Sendable, Codable {
    /// A resource of the service, and what people call it.
    public struct Party: Hashable, Sendable, Codable {
        public let id: String
        public let name: String

        /// Names one.
        public init(id: String, name: String) {
            self.id = id
            self.name = name
        }
    }

    public let person: Party
    /// `nil` if the service does not say.
    public let organisation: Party?

    /// Describes an account.
    public init(person: Party, organisation: Party?) {
        self.person = person
        self.organisation = organisation
    }

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
