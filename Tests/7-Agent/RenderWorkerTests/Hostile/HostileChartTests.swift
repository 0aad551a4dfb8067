import Model
import Platform
import Rendering
import TestSupport
import Testing

/// PDFs that do every kind of harm, sent through the processes that draw for the agent.
@Suite(.onLoop)
struct HostileChartTests {
    @Test func thereAreTwoHundredOfThem() {
        #expect(HostileChart.all.count >= 200)
        #expect(Set(HostileChart.all.map(\.description)).count == HostileChart.all.count)
    }

    /// Each chart meets its stated fate both times, and harms neither later charts nor the machine.
    @Test @LoopActor func everyOneEndsAsItIsNamedAndHarmsNoOther() async throws {
        let charts = HostileChart.chosen
        let first = try await HostileRound.run(charts)
        let second = try await HostileRound.run(charts)
        for (number, chart) in charts.enumerated() {
            let (one, other) = (try #require(first.results[number]), try #require(second.results[number]))
            if HostileChart.isWhole { print("\(chart): \(one.outcome), \(one.time) and \(other.time) \(one.warnings.last ?? "")") }
            // Newer versions of poppler warn about this chart, but draw it.
            let isTold = chart.name == "a size of two billion" && one.outcome == .pages([.warned])
            #expect(one.outcome == chart.expected || isTold, "\(chart): \(one.warnings)")
            #expect(other.outcome == one.outcome, "\(chart), the second time: \(other.warnings)")
            #expect(other.images == one.images, "\(chart) looks otherwise the second time")
            #expect(one.isNextGood && other.isNextGood, "\(chart) harmed the page after it")
        }
        if HostileChart.isWhole { print("memory at most \(first.mostMemory >> 20) MB and \(second.mostMemory >> 20) MB") }
        let budget = WorkerOptions(program: "", width: 2).memoryTogether.bytes
        #expect(max(first.mostMemory, second.mostMemory) < budget)
    }
}
