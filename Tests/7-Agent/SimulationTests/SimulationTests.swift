import Glibc
import Platform
import TestSupport
import Testing

/// The whole agent in all weathers; one run for each seed.
@Suite(.onLoop, .serialized)
struct SimulationTests {
    /// The everyday set has only four seeds, because all runs share one loop.
    private static let seeds = Asked.seeds(everyday: 4)

    @Test(.needs(.manyTries), arguments: seeds) @LoopActor func whateverHappensAllIsWellWhenItIsQuiet(seed: UInt64) async throws {
        let simulation = try Simulation(seed: seed)
        await simulation.run()
        let trace = simulation.trace.lines
        if let folder = getenv("WOODSHED_TEST_TRACES") {
            try AtomicFile.write(trace.joined(separator: "\n") + "\n", to: "\(String(cString: folder))/\(seed).trace")
        }
        if !simulation.complaints.isEmpty {
            Issue.record(
                """
                seed \(seed), alone with WOODSHED_TEST_SEED=\(seed) WOODSHED_TEST_SEEDS=1, its story into a folder with WOODSHED_TEST_TRACES:
                \(simulation.complaints.prefix(10).joined(separator: "\n"))
                """)
        }
    }

    /// The simulation must iterate only over sorted collections, because sets and dictionaries have another order in every process.
    @Test(.needs(.manyTries), arguments: Asked.some(of: [5, 8] as [UInt64])) @LoopActor func anotherProcessTellsTheSameStory(seed: UInt64)
        async throws
    {
        let folder = TemporaryFolder()
        let run = try await Program.run(
            Folder.real("/proc/self/exe"), ["--testing-library", "swift-testing", "--filter", "whateverHappensAllIsWellWhenItIsQuiet"],
            environment: ["WOODSHED_TEST_SEED=\(seed)", "WOODSHED_TEST_SEEDS=1", "WOODSHED_TEST_TRACES=\(folder.path)"])
        #expect(run.exit == .code(0), "\(run.output.suffix(2000))")
        let theirs = String(decoding: try AtomicFile.read(folder.path("\(seed).trace"), limit: 1 << 26), as: UTF8.self)
        let simulation = try Simulation(seed: seed)
        await simulation.run()
        let ours = simulation.trace.lines
        let difference = zip(ours, theirs.split(separator: "\n").map(String.init)).first { $0 != $1 }
        #expect(difference == nil)
        #expect(ours.joined(separator: "\n") + "\n" == theirs)
    }
}
