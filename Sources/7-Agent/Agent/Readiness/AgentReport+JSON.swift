import FoundationEssentials

extension AgentReport {
    /// Why an agent's report was not understood.
    public enum Unreadable: Error, Hashable, Sendable, CustomStringConvertible {
        /// The agent is of another version.
        case schema(Int)
        case damaged(String)

        public var description: String {
            switch self {
            case .schema(let number):
                "the running agent reports its state in form \(number), but this program expects form \(AgentReport.schema); restart the agent"
            case .damaged(let message): "the running agent's answer was not understood: \(message)"
            }
        }
    }

    private struct Envelope: Codable {
        var schema: Int
        var agent: AgentReport
    }

    private struct Form: Decodable {
        var schema: Int
    }

    /// The form in which it goes over the control socket.
    public var json: [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Strings, whole numbers and lists of them: encoding them cannot fail.
        return (try? encoder.encode(Envelope(schema: Self.schema, agent: self))).map(Array.init) ?? []
    }

    /// Reads what another process wrote.
    public init(json: [UInt8]) throws(Unreadable) {
        do {
            let data = Data(json)
            let form = try JSONDecoder().decode(Form.self, from: data)
            guard form.schema == Self.schema else { throw Unreadable.schema(form.schema) }
            self = try JSONDecoder().decode(Envelope.self, from: data).agent
        } catch {
            throw error as? Unreadable ?? .damaged("\(error)")
        }
    }
}
