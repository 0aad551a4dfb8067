import Agent
import Model
import TestSupport
import Testing

@testable import Commands

@Suite(.timeLimit(.minutes(15)))
struct SyncReportTests {
    @Test(arguments: [
        (nil, nil, SyncScope.all), ("next", nil, .nextPlan), ("7", nil, .plan(PlanID("7"))), (nil, "9", .chart(AttachmentID("9"))),
    ])
    func flagsBecomeAScope(plan: String?, chart: String?, scope: SyncScope) throws {
        #expect(try SyncCommand.scope(plan: plan, chart: chart) == scope)
    }

    @Test func planAndChartExcludeEachOther() {
        #expect(throws: CommandFailure(.usage, "--plan and --chart exclude each other; keep one of them")) {
            try SyncCommand.scope(plan: "7", chart: "9")
        }
    }

    @Test(arguments: [
        (PollOutcome.Reach.reached, true, 3, ExitCode.fine), (.reached, true, 0, .fine), (.reached, false, 3, .notReady),
        (.reached, false, 0, .failed), (.offline, false, 3, .offline), (.offline, false, 0, .failed),
        (.notAuthorised, false, 3, .notAuthorised),
    ])
    func codeSaysWhatThereIsToGoOnWith(reach: PollOutcome.Reach, isComplete: Bool, charts: Int, code: ExitCode) {
        #expect(SyncReport.code(reach, isComplete: isComplete, chartsHere: charts) == code)
    }

    @Test func changeNamesItsKindItsSubjectsAndItsSentence() {
        let plan = Plan(id: PlanID("7"), serviceType: ServiceTypeID("1"), title: "Harvest")
        let change = LibraryChange.chartAdded(.init(plan), .init(Attachment(id: AttachmentID("9"), filename: "Hymn.pdf")))
        #expect(change.json.line == #"{"kind":"chartAdded","plan":"7","chart":"9","sentence":"\#(change.sentence)"}"#)
    }
}
