import Library
import Model
import Platform
import TestSupport
import Testing

@testable import Readiness

/// The notes on a plan, other than those on its charts.
@Suite(.onLoop)
struct PlanNotesTests {
    private let home = TemporaryFolder()

    /// If a song has only other files, somebody may have uploaded a document instead of a chart, so a note names the song. A plan
    /// without any chart gets no note of this kind.
    @Test(arguments: [true, false]) @LoopActor func aSongWithOtherFilesOnlyIsNamed(hasOthers: Bool) throws {
        let library = try Library(folder: home.path)
        defer { library.close() }
        func item(_ id: String, _ title: String, _ files: [Model.Attachment]) -> PlanItem {
            PlanItem(id: ItemID(id), sequence: 1, title: title, keyName: "D", attachments: files, kind: "song")
        }
        var contents = PlanContents(
            plan: Plan(id: PlanID("1"), serviceType: ServiceTypeID("7"), serviceTypeName: "Sunday", title: "Advent", dates: ""),
            items: [item("2", "Be Thou My Vision", []), item("3", "Welcome", [])])
        if hasOthers { contents.items.append(item("1", "Amazing Grace", [Model.Attachment(id: AttachmentID("a"), filename: "a.pdf")])) }
        contents.leftOut = [
            LeftOut(attachment: AttachmentID("b"), filename: "vision.docx", item: "Be Thou My Vision", reason: .notAPDF)
        ]
        let notes = try PlanFacts(library, coming: [contents], asking: nil)
            .report(of: contents, [:], .seconds(86_400), Timestamp(nanoseconds: 0)).notes
        #expect(notes.contains(ReadinessNote.songsWithoutPDF(["Be Thou My Vision"])) == hasOthers)
        #expect(notes.allSatisfy { !$0.sentence.contains("Welcome") })
    }

    @Test @LoopActor func marksThatDidNotComeAreNoted() throws {
        let library = try Library(folder: home.path)
        defer { library.close() }
        let now = Timestamp(nanoseconds: 0)
        let contents = PlanContents(
            plan: Plan(id: PlanID("1"), serviceType: ServiceTypeID("7"), serviceTypeName: "Sunday", title: "Advent", dates: ""), items: [])
        try library.plans.update([contents], at: now)
        for reason in ["403", nil] {
            try library.layers.note(marksUntold: reason, of: contents.plan.id, at: now)
            let notes = try PlanFacts(library, coming: [contents], asking: nil).report(of: contents, [:], .seconds(86_400), now).notes
            #expect(notes.compactMap { if case .marksUntold(_, let reason) = $0 { reason } else { nil } } == [reason].compactMap(\.self))
        }
    }

    /// Whoever looks after the machine may have meant it, and the musician cannot change it.
    @Test(arguments: [true, false]) @LoopActor func aPlanThatTheMachinesChoiceLeavesEmptyIsNoLack(isGiven: Bool) throws {
        let library = try Library(folder: home.path)
        defer { library.close() }
        var contents = PlanContents(
            plan: Plan(id: PlanID("1"), serviceType: ServiceTypeID("7"), serviceTypeName: "Sunday", title: "Advent", dates: ""), items: [],
            leftOut: [LeftOut(attachment: AttachmentID("b"), filename: "drums.pdf", item: "Grace", reason: .notChosen(rule: "*lead*"))])
        // It is not of the next days, when a service may briefly send other names.
        contents.plan.firstTime = Timestamp(nanoseconds: 0) + .seconds(10 * 86_400)
        var asked = AskedSettings([:])
        asked.isChoiceGiven = isGiven
        let report = try PlanFacts(library, coming: [contents], asking: asked)
            .report(of: contents, [:], .seconds(86_400), Timestamp(nanoseconds: 0))
        let lack = ReadinessLack.nothingChosen(files: 1, rule: contents.rules, plan: PlanID("1"))
        #expect(report.lacks == [lack].filter { _ in !isGiven })
        #expect(report.notes.contains(.noCharts) == isGiven)
    }

    /// Somebody else's order may have a song of which nothing is here.
    @Test @LoopActor func aSongAddedForTonightWithoutItsChartIsLacking() throws {
        let library = try Library(folder: home.path)
        defer { library.close() }
        let (now, plan) = (Timestamp(nanoseconds: 0), PlanID("1"))
        let contents = PlanContents(
            plan: Plan(id: plan, serviceType: ServiceTypeID("7"), serviceTypeName: "Sunday", title: "Advent", dates: ""), items: [])
        try library.plans.update([contents], at: now)
        func lacks() throws -> [ReadinessLack] {
            let played = try #require(try library.plans.plan(plan))
            return try PlanFacts(library, coming: [played], asking: nil).report(of: played, [:], .seconds(86_400), now).charts.flatMap(
                \.lacks)
        }
        let song = PlanItem(id: ItemID("a"), sequence: 0, title: "Be Thou My Vision", kind: "song")
        #expect(try library.plans.change(.add(song, after: nil), of: plan, at: 0, now: now) == .kept)
        #expect(try lacks() == [.noChart(because: "it was added for tonight, and its chart is not here")])
        let added = try #require(try library.plans.plan(plan)?.items.first)
        #expect(try library.plans.change(.leaveOut(added.id, true), of: plan, at: 1, now: now) == .kept)
        #expect(try lacks() == [])
    }

    /// Nobody but the musician decides what is in a folder, so nothing in it is waited for.
    @Test @LoopActor func aSetThatIsEmptyOrGoneIsNoLack() throws {
        let library = try Library(folder: home.path)
        defer { library.close() }
        let now = Timestamp(nanoseconds: 0)
        let contents = PlanContents(
            plan: Plan(id: .ofSet("a"), serviceType: ServiceTypeID("set"), title: "Advent", firstTime: now + .seconds(3600)), items: [])
        let other = PlanContents(
            plan: Plan(id: .ofSet("b"), serviceType: ServiceTypeID("set"), title: "Harvest", firstTime: now + .seconds(7200)), items: [])
        try library.plans.update([contents, other], of: .sets, at: now)
        func report() throws -> ReadinessReport.Plan {
            try PlanFacts(library, coming: [contents], asking: nil).report(of: contents, [:], .seconds(86_400), now)
        }
        #expect(try report().lacks == [] && report().notes == [.noCharts])
        try library.plans.update([other], named: [other.plan.id], of: .sets, at: now + .seconds(60))
        let gone = try report()
        #expect(gone.lacks == [] && gone.notes.contains { $0.sentence == "it is no longer in its folder; it is kept until it is past" })
        let ended = ReadinessNote.gone(since: now, from: PlanID.ofSet("band/abc/0123456789abcdef").owner)
        #expect(ended.sentence == "it is no longer shared in the band; it is kept until it is past")
    }

    /// The service may have kinds of owners that are newer than this program.
    @Test(arguments: [("Widget", true), ("", true), ("Song", false)]) @LoopActor
    func aChartOfSomethingUnknownIsNamed(owner: String, isNamed: Bool) throws {
        let library = try Library(folder: home.path)
        defer { library.close() }
        let contents = PlanContents(
            plan: Plan(id: PlanID("1"), serviceType: ServiceTypeID("7"), serviceTypeName: "Sunday", title: "Advent", dates: ""), items: [],
            leftOut: [LeftOut(attachment: AttachmentID("b"), filename: "grace.pdf", item: "", reason: .ofNoItem(owner: owner))])
        let notes = try PlanFacts(library, coming: [contents], asking: nil)
            .report(of: contents, [:], .seconds(86_400), Timestamp(nanoseconds: 0)).notes
        #expect(notes.contains(.filesOfUnknown(["grace.pdf"])) == isNamed)
        #expect(notes.contains { $0.advised == "not shown: 'grace.pdf' (\(contents.leftOut[0].reason.words))" } == isNamed)
    }
}
