import Model
import Platform
import Rendering
import TestSupport
import Testing

/// When processes are replaced by new ones.
@Suite(.onLoop)
struct WorkerLifeTests {
    /// How many processes are used for some jobs, one after the other.
    @LoopActor
    private static func processes(for jobs: Int, _ change: (inout WorkerOptions) -> Void) async throws -> Int {
        let bench = Bench {
            $0.width = 1
            change(&$0)
        }
        let chart = try bench.chart(.halfBlack)
        for _ in 0..<jobs { _ = try await bench.render(chart, settings: RenderSettings(fullSize: 100)) }
        await bench.pool.stop()
        return bench.pool.startCount
    }

    @Test @LoopActor func processIsReplacedAfterSoManyJobs() async throws {
        #expect(try await Self.processes(for: 5) { $0.mostJobs = 2 } == 3)
    }

    @Test @LoopActor func processThatHoldsTooMuchMemoryIsReplaced() async throws {
        #expect(try await Self.processes(for: 3) { $0.mostMemoryKept = ByteCount(1 << 20) } == 3)
        #expect(try await Self.processes(for: 3) { _ in } == 1)
    }
}
