package import Agent
package import CommandLine
import Platform

extension ControlClient {
    /// Has the agent do a command's work, however long that takes, and returns what it said.
    package func command(
        _ path: String, query: [(name: String, value: String)] = [], onProgress: @escaping @LoopActor (Progress) -> Void = { _ in }
    ) async throws(CommandFailure) -> CommandAnswer {
        let json: [UInt8]
        do {
            json = try await ask(.post, path, query: query, patience: Self.patience, onProgress: onProgress)
        } catch {
            throw CommandFailure(.failed, "\(error)")
        }
        return try CommandAnswer(json: json)
    }
}
