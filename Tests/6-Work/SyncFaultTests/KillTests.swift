import DemoService
import Glibc
import Model
import Platform
import StandInSupport
import TestSupport
import Testing

/// The built program, killed while it syncs.
@Suite(.onLoop, .needs(.kill))
struct KillTests {
    /// How many times the program is killed: a few by default, WOODSHED_TEST_KILLS on demand.
    private static let kills = Asked.number("KILLS", everyday: 8)

    @Test @LoopActor func killedAtAnyMomentItLosesNothingAndFetchesNothingTwice() async throws {
        let demo = try StandIn.start(
            load: DemoLoad(plans: 3, chartsPerPlan: 4, bytesPerChart: 400_000, layersPerPlan: 1))
        defer { demo.stop() }
        let home = try AgentHome(demo)
        let clock = SystemClock()
        // A fixed seed chooses the moments of the kills; exactly where in the work they fall depends on the machine.
        var random = SeededGenerator(seed: 3)
        var interrupted = 0
        for number in 0..<Self.kills {
            let charts = try await Stage.truth(at: demo).charts
            let whole = try wholeCharts(home, charts)
            demo.resetStatistics()
            let agent = try home.start()
            // Kill the agent shortly after `moment` requests, so that the kill comes at the same point of the agent's work on any machine.
            let moment = Int.random(in: 0...24, using: &random)
            try await waitUntil {
                let statistics = demo.statistics
                return try statistics.requests + statistics.downloads.count >= moment || agent.messagesSoFar().contains("asleep")
            }
            try await clock.sleep(for: .microseconds(Int.random(in: 0...8000, using: &random)))
            agent.child.kill(SIGKILL)
            _ = await agent.child.exit()

            #expect(demo.statistics.opens.keys.filter(whole.contains) == [])
            #expect(try home.contents().faults == [])
            // A run that has sent its first request has already removed the leftovers of the run before.
            let temporary = try home.data.temporaryFiles()
            let own = ".tmp-\(agent.child.pid)-"
            #expect(demo.statistics.requests == 0 || temporary.allSatisfy { $0.hasPrefix(own) }, "\(temporary)")
            if try !agent.messagesSoFar().contains("asleep") { interrupted += 1 }
            try edit(demo, charts, number, &random)
        }
        #expect(interrupted > 0)

        let truth = try await Stage.truth(at: demo)
        let whole = try wholeCharts(home, truth.charts)
        demo.resetStatistics()
        let last = try await home.sync()
        #expect(last.exit == .code(0), "\(last.messages)")
        let (found, faults) = try (home.contents().contents, home.contents().faults)
        #expect(found?.plans == truth.plans)
        #expect(found?.charts == truth.charts)
        #expect(found?.layers == truth.layers)
        #expect(faults == [])
        #expect(try home.data.temporaryFiles() == [])
        let missing = Set(truth.charts.keys.map(\.text)).subtracting(whole)
        #expect(demo.statistics.opens == Dictionary(uniqueKeysWithValues: missing.map { ($0, 1) }))
    }

    /// The attachments whose current bytes the library has.
    @LoopActor private func wholeCharts(_ home: AgentHome, _ charts: [AttachmentID: ChartHash]) throws -> Set<String> {
        let here = try home.contents().contents?.charts ?? [:]
        let files = try home.data.charts()
        return Set(charts.filter { here[$0.key] == $0.value && files.contains($0.value.digest.hex) }.keys.map(\.text))
    }

    /// Gives the next run some work.
    private func edit(
        _ demo: StandIn, _ charts: [AttachmentID: ChartHash], _ number: Int, _ random: inout SeededGenerator
    ) throws {
        for chart in charts.keys.map(\.text).sorted().shuffled(using: &random).prefix(8) {
            // The file can be opened, because an unreadable version would not replace a readable one.
            let bytes = BlankPDF.bytes(size: 1_500_000, number: number * 100_000_000 + (Int(chart) ?? 0), pages: 1)
            try demo.edit(.replaceChart(attachment: chart, bytes: bytes))
        }
    }
}
