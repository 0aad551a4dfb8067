/// With which settings the service was asked, by their names: what is here says nothing of what others would bring.
public struct AskedSettings: Hashable, Sendable, Codable {
    public let values: [String: String]

    /// Names settings and their values.
    public init(_ values: [String: String]) {
        self.values = values
    }

    /// The names of those that are otherwise in `other`.
    public func differences(from other: AskedSettings) -> [String] {
        Set(values.keys).union(other.values.keys).filter { values[$0] != other.values[$0] }.sorted()
    }
}

extension PlanStore {
    /// Writes down with which settings the service told all that it has; nothing where that is written already.
    public func recordAsked(with settings: AskedSettings) throws(LibraryError) {
        guard try askedSettings != settings else { return }
        try database.run(
            "INSERT INTO asked_settings (id, settings) VALUES (1, ?) ON CONFLICT (id) DO UPDATE SET settings = excluded.settings",
            [.text(try StoredJSON.write(settings, in: database))])
    }

    /// With which settings the service last told all that it has; `nil` where that was not written down.
    public var askedSettings: AskedSettings? {
        get throws(LibraryError) {
            guard let text = try database.row("SELECT settings FROM asked_settings", [], { $0.text(0) }) else { return nil }
            return try StoredJSON.read(AskedSettings.self, text, in: database)
        }
    }
}
