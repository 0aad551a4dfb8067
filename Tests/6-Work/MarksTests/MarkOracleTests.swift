import Platform
import TestSupport
import Testing

/// Whatever happens to the files of marks, in whatever order: once everything settles, the library agrees with the files.
@Suite(.onLoop)
struct MarkOracleTests {
    private static let seeds = Asked.seeds(everyday: 40)

    @Test(.needs(.manyTries), arguments: seeds) @LoopActor func afterQuietAllIsAsInTheFiles(seed: UInt64) async throws {
        let storm = try await MarkStorm(seed: seed)
        for _ in 0..<6 {
            for _ in 0..<Int.random(in: 1...8, using: &storm.random) { try await storm.step() }
            try await storm.checkFiles()
        }
        try await storm.checkAgainstFreshLibrary()
        if !storm.complaints.isEmpty {
            Issue.record(
                """
                seed \(seed), alone with WOODSHED_TEST_SEED=\(seed) WOODSHED_TEST_SEEDS=1:
                \(storm.complaints.joined(separator: "\n"))
                after:
                \(storm.story.joined(separator: "\n"))
                """)
        }
    }
}
