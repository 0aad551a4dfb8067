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

    /// If the clock is years ahead, all plans seem to be over, although charts are here.
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

    /// A lack is recognised by its subject, whatever words the setback or the warning used for it.
    @Test func whatASetbackOrAWarningSaidIsNotSaidAgain() {
        let now = Timestamp(nanoseconds: 1_795_000_000_000_000_000)
        let lacks: [ReadinessLack] = [
            .notDownloaded(because: "no line"), .notDownloaded(because: "no line to the file"), .outOfDate(because: "too short"),
            .marksUnreadable(path: "/m/a.xopp", fault: "is cut off", keepsFormer: false),
            .marksUnreadable(path: "/m/b.xopp", fault: "is cut off", keepsFormer: false),
        ]
        let chart = ReadinessReport.Chart(
            attachment: AttachmentID("1"), filename: "1.pdf", item: "Song", hash: nil, pages: nil, wanted: 0, present: 0, lacks: lacks,
            notes: [])
        let plan = ReadinessReport.Plan(
            plan: Plan(id: PlanID("7"), serviceType: ServiceTypeID("1"), title: "Harvest"), charts: [chart], lacks: [], notes: [])
        let readiness = ReadinessReport(asOf: now, lastPoll: now, isThorough: true, plans: [plan], clockAhead: nil)
        var outcome = PollOutcome()
        outcome.setbacks = [Setback("1.pdf", "no line"), Setback("2.pdf", "too short")]
        let report = SyncReport(
            outcome: outcome, table: PlanTable(rows: [], plans: 0, pages: 0, images: 0, wanted: 0), chartsHere: 7,
            verdict: ReadinessVerdict(report: readiness, maxAge: ReadinessVerdict.defaultMaxAge), tally: Tally(), seconds: 1,
            warned: ["/m/a.xopp"])
        let captured = CapturedOutput()
        report.print(on: captured.output)
        let said = captured.messages
        #expect(said.contains("no line to the file") && said.contains("/m/b.xopp is cut off"), "\(said)")
        #expect(!said.contains("/m/a.xopp") && !said.contains("too short") && said.split(separator: "no line").count == 2, "\(said)")
        #expect(!said.contains("0 upcoming plans"), "what could not be fetched is no count of nothing: \(said)")
    }

    @Test(arguments: [true, false]) func thatThereIsNoRoomIsSaidOnce(isTold: Bool) {
        let now = Timestamp(nanoseconds: 1_795_000_000_000_000_000)
        let chart = ReadinessReport.Chart(
            attachment: AttachmentID("1"), filename: "1.pdf", item: "Song", hash: nil, pages: nil, wanted: 2, present: 0,
            lacks: [.noRoom(images: 2, RoomShortage(isOfDisk: true, "no room", remedy: "make some"))], notes: [])
        let plan = ReadinessReport.Plan(
            plan: Plan(id: PlanID("7"), serviceType: ServiceTypeID("1"), title: "Harvest"), charts: [chart], lacks: [], notes: [])
        let readiness = ReadinessReport(asOf: now, lastPoll: now, isThorough: true, plans: [plan], clockAhead: nil)
        let report = SyncReport(
            outcome: PollOutcome(), table: PlanTable(rows: [], plans: 1, pages: 0, images: 0, wanted: 2), chartsHere: 1,
            verdict: ReadinessVerdict(report: readiness, maxAge: ReadinessVerdict.defaultMaxAge), tally: Tally(), seconds: 1,
            isRoomTold: isTold)
        let captured = CapturedOutput()
        report.print(on: captured.output)
        #expect(captured.messages.contains("no room; make some") != isTold, "\(captured.messages)")
        #expect(SyncReport.form.json(report).line.contains("no room; make some"), "programs are told all the same")
    }

    @Test func changeNamesItsKindItsSubjectsAndItsSentence() {
        let plan = Plan(id: PlanID("7"), serviceType: ServiceTypeID("1"), title: "Harvest")
        let change = LibraryChange.chartAdded(.init(plan), .init(Attachment(id: AttachmentID("9"), filename: "Hymn.pdf")))
        #expect(LibraryChange.form().json(change).line == #"{"kind":"chartAdded","plan":"7","chart":"9","sentence":"\#(change.sentence)"}"#)
    }
}
