import Agent
import CommandLine
import Keeping
import Model
import Testing

@testable import Commands

@Suite(.timeLimit(.minutes(60)))
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
