import CommandTestSupport
import JSON
import Library
import Model
import Platform
import Sets
import TestSupport
import Testing

@testable import CommandLine
@testable import Commands

@Suite(.onLoop)
struct PlanOverviewTests {
    private let home = TemporaryFolder()

    /// A first sync may have hundreds of plans to read.
    @Test(arguments: [true, false]) @LoopActor func plansThatWaitForTheirTurnAreCountedAfterTheFirst(all: Bool) throws {
        let library = try Library(folder: home.path)
        defer { library.close() }
        let now = Timestamp(nanoseconds: 1_795_000_000_000_000_000)
        let unread = (1...9).map { number in
            let time = now + .seconds(number * 3600)
            let plan = Plan(
                id: PlanID("\(number)"), serviceType: ServiceTypeID("1"), title: "Plan \(number)", firstTime: time, lastTime: time)
            return UnreadPlan(plan: plan, since: now)
        }
        try library.plans.update([], unread: unread, ahead: .seconds(86_400), at: now)
        let captured = CapturedOutput()
        try PlanOverview(library, all: all, ahead: .seconds(86_400), now: now).print(on: captured.output)
        #expect(captured.results.contains("Plan 5  ("), "\(captured.results)")
        #expect(captured.results.contains("Plan 9  (") == all)
        #expect(captured.results.contains("4 more plans not fetched yet; 'woodshed plans --all' names each.") != all)
    }

    @Test @LoopActor func aPlanWithoutATimeOfDayIsNamedByItsDay() throws {
        let library = try Library(folder: home.path)
        defer { library.close() }
        let midnight = Timestamp(nanoseconds: LocalTime.nanoseconds(ofWallTime: 1_796_515_200_000_000_000))
        let plan = Plan(
            id: .ofSet("2026-12-06"), serviceType: ServiceTypeID("set"), title: "Advent", firstTime: midnight,
            lastTime: midnight + .seconds(86_340))
        try library.plans.update([PlanContents(plan: plan, items: [])], of: .sets, at: midnight)
        let captured = CapturedOutput()
        try PlanOverview(library, all: false, ahead: .seconds(86_400), now: midnight).print(on: captured.output)
        #expect(captured.results.hasPrefix("2026-12-06  Advent  (plan set/2026-12-06)"), "\(captured.results)")
    }

    @Test(arguments: [true, false]) @LoopActor func whatIsNotUsedIsNamedOnceWithTheReason(all: Bool) throws {
        let library = try Library(folder: home.path)
        defer { library.close() }
        let now = Timestamp(nanoseconds: 1_795_000_000_000_000_000)
        let line = LeftOut(
            attachment: AttachmentID("line/3"), filename: "Grace", item: "Grace",
            reason: .noChart(because: "line 3: no chart here has this title"))
        let plan = Plan(id: .ofSet("a"), serviceType: ServiceTypeID("set"), title: "Advent", firstTime: now)
        let item = PlanItem(id: ItemID("1"), sequence: 1, title: "Grace")
        try library.plans.update([PlanContents(plan: plan, items: [item], leftOut: [line])], of: .sets, at: now)
        var overview = try PlanOverview(library, all: all, ahead: .seconds(86_400), now: now, from: .sets)
        let others = (10...22).map { FoundSets.Other(path: "/m/\($0).doc", reason: "it is no PDF and no song") }
        overview.sets = [
            SetsHere(folder: "/m", others: others), SetsHere(folder: "/m/inner", others: [others[0]]),
            SetsHere(folder: "/media/stick", isThere: false, trouble: "No such file or directory"),
        ]
        let captured = CapturedOutput()
        overview.print(on: captured.output)
        let text = captured.results
        #expect(text.ranges(of: "  /m/10.doc: it is no PDF and no song\n").count == 1, "\(text)")
        #expect(text.contains("22.doc") == all && text.contains("and 3 more; 'woodshed plans --all' names each") != all)
        #expect(text.contains("/media/stick cannot be read: No such file or directory"))
        #expect(text.contains("line 3: no chart here has this title") && text.ranges(of: "Grace").count == 1)
        #expect(text.contains("Your folders have never been read completely.") && !text.contains("service"))
        #expect(PlanOverview.form.json(overview).line.contains(#""not_used":[{"path":"/m/10.doc""#))

        overview.sets = nil
        overview.print(on: captured.output)
        #expect(captured.messages.contains("Your folders of sets do not answer"))
    }

    /// Names that begin alike must not all be cut to the same few letters.
    @Test(arguments: [40, 80]) @LoopActor func onANarrowTerminalChartsAreToldApart(columns: Int) throws {
        let library = try Library(folder: home.path)
        defer { library.close() }
        let now = Timestamp(nanoseconds: 1_795_000_000_000_000_000)
        let files = ["Amazing Grace - lead.pdf", "Amazing Grace - chords.pdf"].enumerated().map { number, name in
            Model.Attachment(id: AttachmentID("\(number)"), filename: name)
        }
        let plan = Plan(id: PlanID("1"), serviceType: ServiceTypeID("1"), title: "Harvest", firstTime: now, lastTime: now)
        let item = PlanItem(id: ItemID("1"), sequence: 1, title: "Amazing Grace", attachments: files)
        try library.plans.update([PlanContents(plan: plan, items: [item])], at: now)
        let terminal = Terminal(showsResults: true, showsMessages: true, environment: ["NO_COLOR": "1"]) { columns }
        let captured = CapturedOutput(terminal: terminal)
        try PlanOverview(library, all: false, ahead: .seconds(86_400), now: now).print(on: captured.output)
        let lines = captured.results.split(separator: "\n").filter { $0.contains("Grace") }
        #expect(lines.count == 2 && Set(lines.map { $0.prefix(columns) }).count == 2, "\(captured.results)")
        for line in lines { #expect(DisplayWidth.of(String(line)) <= columns && line.contains("not here")) }
    }
}
