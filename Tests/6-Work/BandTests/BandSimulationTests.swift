import Glibc
import TestSupport
import Testing

/// A band whose folder has weather, a run for each seed.
@Suite(.onLoop, .serialized)
struct BandSimulationTests {
    /// Ten seeds; WOODSHED_TEST_SEEDS sets how many, WOODSHED_TEST_SEED where they begin.
    private static let seeds: [UInt64] = {
        func number(_ name: String) -> UInt64? { getenv(name).flatMap { UInt64(String(cString: $0)) } }
        let first = number("WOODSHED_TEST_SEED") ?? 1
        return (0..<(number("WOODSHED_TEST_SEEDS") ?? 10)).map { first + $0 }
    }()

    @Test(arguments: seeds) func everybodySeesWhatTheOthersShareWhenItIsQuiet(seed: UInt64) async throws {
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
