import Agent
import Annotations
import Glibc
import Library
import Model
import PageCache
import Platform
import TestSupport
import Testing

/// Whatever happens to the files of marks, in whatever order: when it is quiet again, the library says what they say, and the
/// cache holds what an empty one would be filled with.
@Suite(.onLoop)
struct MarkOracleTests {
    private static let seeds = Asked.seeds(everyday: 12)

    @Test(.needs(.manyTries), arguments: seeds) @LoopActor func afterQuietAllIsAsTheFilesSay(seed: UInt64) async throws {
        let run = try await MarkStorm(seed: seed)
        do {
            for _ in 0..<6 {
                for _ in 0..<Int.random(in: 1...8, using: &run.random) { try await run.step() }
                try await run.settle()
                try await run.checkFiles()
            }
            try await run.checkAgainstEmptyCache()
            try await run.checkAgainstFreshCatalogue()
        } catch {
            Issue.record("seed \(seed): \(error)")
        }
        if !run.complaints.isEmpty {
            Issue.record(
                """
                seed \(seed), alone with WOODSHED_TEST_SEED=\(seed) WOODSHED_TEST_SEEDS=1:
                \(run.complaints.joined(separator: "\n"))
                after:
                \(run.story.joined(separator: "\n"))
                """)
        }
    }
}
