import Platform

extension ControlClient {
    /// Has the agent do a command's work, and answers what it said.
    func command(
        _ path: String, query: [(name: String, value: String)] = [], patience: Duration
    ) async throws(CommandFailure) -> CommandAnswer {
        let json: [UInt8]
        do {
            json = try await ask(.post, path, query: query, patience: patience)
        } catch {
            throw CommandFailure(.failed, "\(error)")
        }
        return try CommandAnswer(json: json)
    }
}
