import Glibc
import TestSupport
import Testing

/// A band whose folder suffers from `Weather`; one run for each seed.
@Suite(.onLoop, .serialized)
struct BandSimulationTests {
    private static let seeds = Asked.seeds(everyday: 10)

    @Test(.needs(.manyTries), arguments: seeds) func everybodySeesWhatTheOthersShareWhenItIsQuiet(seed: UInt64) async throws {
        let simulation = try await BandSimulation(seed: seed)
        try await simulation.run()
        let complaints = await simulation.complaints
        if !complaints.isEmpty {
            Issue.record(
                """
                seed \(seed), alone with WOODSHED_TEST_SEED=\(seed) WOODSHED_TEST_SEEDS=1:
                \(complaints.prefix(5).joined(separator: "\n"))
                \(await simulation.story.suffix(60).joined(separator: "\n"))
                """)
        }
        await simulation.close()
    }
}
