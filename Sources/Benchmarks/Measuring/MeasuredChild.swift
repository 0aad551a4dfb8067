import FoundationEssentials
import Platform

/// What this program measures in a process of its own, which `MeasuredProcess` starts and reads.
protocol MeasuredChild: Sendable {
    associatedtype Record: Encodable & Sendable

    @LoopActor
    func record() async throws -> Record
}

extension MeasuredChild {
    /// Runs, prints the record as JSON, and answers the exit code.
    func run() -> Int32 {
        Loop.shared.run {
            do {
                let bytes = try JSONEncoder().encode(try await record())
                print(String(decoding: bytes, as: UTF8.self))
                return 0
            } catch {
                Log.standardError(from: .error).error("\(error)")
                return 1
            }
        }
    }
}
