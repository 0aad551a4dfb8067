import CommandTestSupport
import JSON
import Model
import TestSupport
import Testing

@testable import Agent
@testable import CommandLine
@testable import ImageKeeping
@testable import Readiness
@testable import Commands
@testable import Sync

@Suite(.timeLimit(.minutes(5)))
struct SyncReportTests {
    @Test(arguments: [
        (PollOutcome.Reach.reached, true, 3, ExitCode.fine), (.reached, true, 0, .fine), (.reached, false, 3, .notReady),
        (.reached, false, 0, .failed), (.offline, false, 3, .offline), (.offline, false, 0, .failed),
        (.notAuthorised, false, 3, .notAuthorised),
    ])
    func codeSaysWhatThereIsToGoOnWith(reach: PollOutcome.Reach, isComplete: Bool, charts: Int, code: ExitCode) {
        #expect(SyncReport.code(reach, isComplete: isComplete, chartsHere: charts) == code)
    }

    /// With a clock that is years off no plan is coming, and charts are here all the same.
    @Test func aClockThatIsOffIsTheReasonOfASyncThatFindsNothing() {
        let now = Timestamp(nanoseconds: 1_795_000_000_000_000_000)
        let readiness = ReadinessReport(asOf: now, lastPoll: now, isThorough: true, plans: [], clockAhead: .seconds(730 * 86_400))
        let report = SyncReport(
            outcome: PollOutcome(), table: PlanTable(rows: [], plans: 0, pages: 0, images: 0, wanted: 0), chartsHere: 7,
            verdict: ReadinessVerdict(report: readiness, maxAge: ReadinessVerdict.defaultMaxAge), tally: Tally(), seconds: 1)
        #expect(report.code == .notReady && !report.isReady)
        let captured = CapturedOutput()
        report.print(on: captured.output)
        #expect(captured.messages.contains("730 days ahead of the service's: set the clock"), "\(captured.messages)")
        #expect(
            SyncReport.form.json(report).line.contains(#""lacks":["The clock of this computer is 730 days ahead"#),
            "\(SyncReport.form.json(report).line)")
    }

    @Test func changeNamesItsKindItsSubjectsAndItsSentence() {
        let plan = Plan(id: PlanID("7"), serviceType: ServiceTypeID("1"), title: "Harvest")
        let change = LibraryChange.chartAdded(.init(plan), .init(Attachment(id: AttachmentID("9"), filename: "Hymn.pdf")))
        #expect(LibraryChange.form().json(change).line == #"{"kind":"chartAdded","plan":"7","chart":"9","sentence":"\#(change.sentence)"}"#)
    }
}
