import DemoService
import Glibc
import Platform
import StandInSupport
import TestSupport
import Testing

/// The memory that the built program needs to sync large charts.
@Suite(.onLoop, .needs(.longRuns))
struct MemoryTests {
    /// How many charts of 5 MB: a few by default, WOODSHED_TEST_CHARTS on demand.
    private static let charts = Asked.number("CHARTS", everyday: 20)

    @Test @LoopActor func largeChartsPassThroughALittleMemory() async throws {
        let plans = max(1, Self.charts / 10)
        let demo = try StandIn.start(
            load: DemoLoad(plans: plans, chartsPerPlan: Self.charts / plans, bytesPerChart: 5_000_000))
        defer { demo.stop() }
        let home = try AgentHome(demo)
        let agent = try home.start()
        try await AgentHome.untilAsleep(agent)
        let peak = try peakMemory(of: agent.child.pid)
        agent.child.kill(SIGTERM)
        let result = try await agent.result()
        #expect(result.exit == .code(0), "\(result.messages)")
        #expect(try home.data.charts().count == Self.charts / plans * plans, "\(result.messages)")
        // The limit is little more than half of the bytes fetched. Most of this memory is the program itself, which is not optimised.
        #expect(peak < 56 << 20, "\(peak >> 10) KiB at its peak")
        print("peak memory: \(peak >> 10) KiB")
    }

    /// The peak memory of a process, in bytes.
    private func peakMemory(of pid: Int32) throws -> Int {
        let status = String(decoding: try AtomicFile.read("/proc/\(pid)/status", limit: 65536), as: UTF8.self)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
        return try #require(line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) }) << 10
    }
}
