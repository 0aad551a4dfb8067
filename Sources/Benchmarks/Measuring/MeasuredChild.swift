import FoundationEssentials
import Platform

/// Something that this program measures in a separate process, which `MeasuredProcess` starts and reads from.
protocol MeasuredChild: Sendable {
    associatedtype Record: Encodable & Sendable

    @LoopActor
    func record() async throws -> Record
}

extension MeasuredChild {
    /// Runs, prints the record as JSON, and returns the exit code.
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
