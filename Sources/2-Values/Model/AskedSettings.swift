/// The settings with which the service was asked, by name: what is here does not tell what other settings would bring.
public struct AskedSettings: Hashable, Sendable, Codable {
    public let values: [String: String]

    /// Names settings and their values.
    public init(_ values: [String: String]) {
        self.values = values
    }

    /// The names of the settings that are different in `other`.
    public func differences(from other: AskedSettings) -> [String] {
        Set(values.keys).union(other.values.keys).filter { values[$0] != other.values[$0] }.sorted()
    }
}
