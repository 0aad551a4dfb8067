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
