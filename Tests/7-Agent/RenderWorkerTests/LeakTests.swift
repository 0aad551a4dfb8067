import Glibc
import Model
import Platform
import Rendering
import TestSupport
import Testing

/// The test counts the open descriptors of its process, so it runs in a process of its own.
@Suite(.timeLimit(.minutes(5)), .needs(.longRuns))
struct LeakTests {
    @Test func noDescriptorIsLeftOfAnyJob() async {
        await #expect(processExitsWith: .exitCode(0)) {
            let code = Loop.shared.run {
                do {
                    // The loop and the first process open some descriptors for good, and must do so before the count.
                    try await LeakTests.useAPool()
                    let before = try Folder.names(in: "/proc/self/fd").count
                    for _ in 0..<3 { try await LeakTests.useAPool() }
                    return try Folder.names(in: "/proc/self/fd").count == before ? 0 : 1
                } catch {
                    return 2
                }
            }
            exit(code)
        }
    }

    /// Runs jobs that succeed, fail, are refused and are ended.
    @LoopActor
    static func useAPool() async throws {
        let bench = Bench()
        let chart = try bench.chart(.halfBlack)
        let mark = Mark(id: "m", page: PageIndex(0), kind: .pen, points: [Mark.Point(x: 0.5, y: 0.5)])
        _ = try await bench.pool.describe(chart: chart)
        _ = try await bench.render(chart, Variant.allCases, marks: PageMarks(drawing: [mark]))
        _ = try? await bench.render(chart, page: 9)
        _ = try? await bench.pool.describe(chart: bench.folder.path("none.pdf"))
        _ = try? await bench.pool.describe(chart: bench.chart(Array("garbage".utf8), name: "garbage.pdf"))
        if let pid = bench.pool.processes.first { kill(pid, SIGSTOP) }
        let stuck = spawnThrowing { try await bench.render(chart) }
        await bench.until { bench.pool.requestCount == 1 }
        await bench.pool.stop()
        _ = try? await stuck.value
    }
}
