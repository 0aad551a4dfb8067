import CommandLine
import CommandTestSupport
import ImageKeeping
import Model
import Platform
import TestSupport
import Testing

@testable import Agent
@testable import Commands
@testable import Sync

@Suite(.onLoop)
struct SyncCommandTests {
    @Test(arguments: [
        (nil, nil, SyncScope.all), ("next", nil, .nextPlan), ("7", nil, .plan(PlanID("7"))), (nil, "9", .chart(AttachmentID("9"))),
    ])
    func flagsBecomeAScope(plan: String?, chart: String?, scope: SyncScope) throws {
        #expect(try SyncCommand.scope(plan: plan, chart: chart) == scope)
    }

    @Test func planAndChartExcludeEachOther() {
        #expect(throws: CommandFailure(.usage, "--plan and --chart cannot be used together; drop one of them")) {
            try SyncCommand.scope(plan: "7", chart: "9")
        }
    }
}
