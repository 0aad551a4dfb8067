import Library
import Model
import Platform
import TestSupport
import Testing

@testable import Host
@testable import Readiness

@Suite(.timeLimit(.minutes(5)))
struct NoticeTests {
    private typealias Chart = LibraryChange.ChartReference

    /// The plan's contents with the last of these sets of charts, and the changes from each set to the next.
    private func changes(_ sets: [[Model.Attachment]]) -> (PlanContents, [LibraryChange]) {
        let all = sets.map { charts in
            var contents = Samples.contents("1", attachments: charts)
            // Each item is named after its chart, so other charts make other items.
            for place in contents.items.indices {
                contents.items[place].id = ItemID(charts[place].id.text)
                contents.items[place].title = charts[place].id.text.uppercased()
            }
            return contents
        }
        return (all[all.count - 1], zip(all, all.dropFirst()).flatMap { LibraryChange.between([$0], [$1]) })
    }

    private func told(_ sets: [[String]]) -> String? {
        let (contents, changes) = changes(sets.map { $0.map { Samples.attachment($0) } })
        return Notice.setChanged(contents, changes).map { String($0.text.drop { $0 != ":" }.dropFirst(2)) }
    }

    @Test func chartsThatCameAndWentAreNamed() {
        #expect(told([["a"], ["a", "b"]]) == "added 'b'")
        #expect(told([["a", "b"], ["a"]]) == "taken out 'b'")
        #expect(told([["a", "b"], ["a", "c"]]) == "added 'c'; taken out 'b'")
        #expect(told([["a", "b", "c"], ["c", "a", "b"]]) == "moved 'C'")
        #expect(told([["a"], ["a", "b", "c"]]) == "added 'b' and 'c'")
        #expect(told([["a"], ["a", "b", "c", "d", "e", "f"]]) == "added 'b', 'c', 'd' and 2 more")
    }

    /// A notification may wait for hours, and its change may be undone in that time.
    @Test func whatWasUndoneMeanwhileIsNotTold() {
        #expect(told([["a"], ["a", "b"], ["a"]]) == nil)
        #expect(told([["a", "b"], ["a"], ["a", "b"]]) == nil)
        #expect(told([["a", "b", "c"], ["c", "a", "b"], ["a", "b", "c"]]) == nil)
        #expect(told([["a"], ["a"]]) == nil)
        #expect(told([["a"], ["a", "b"], ["a", "b", "c"], ["a", "c"]]) == "added 'c'")
    }

    @Test func thePlanIsNamedWithItsDay() {
        let (contents, changes) = changes([[Samples.attachment("a")], []])
        let name = LibraryChange.PlanReference(contents.plan).name(in: .local)
        #expect(Notice.setChanged(contents, changes)?.text == "\(name): taken out 'a'")
    }

    @Test func aReplacedChartIsToldWhereMarksAreOnItAndOnlyOnce() {
        let (contents, changes) = changes([
            [Samples.attachment("a"), Samples.attachment("b")], ["a", "b"].map { Samples.attachment($0, updated: 2) },
        ])
        #expect(Notice.setChanged(contents, changes) == nil)
        let plans = [(contents: contents, changes: changes), (contents: contents, changes: changes)]
        #expect(Notice.replaced(in: plans) { _ in false } == nil)
        #expect(Notice.replaced(in: plans) { $0 == AttachmentID("b") }?.text == "'b'")
        #expect(Notice.replaced(in: plans) { _ in true }?.text == "'a' and 'b'")
        let outdated = changes + [.marksOutdated(Chart(id: AttachmentID("b"), name: "b.pdf"), pages: [PageIndex(1), PageIndex(2)])]
        #expect(
            Notice.replaced(in: [(contents: contents, changes: outdated)]) { $0 == AttachmentID("b") }?.text
                == "'b'; pages 2 and 3 of 'b' look different now")
    }

    @Test func aChartThatWasUploadedAgainUnderItsNameWasReplaced() {
        let sets = ["1", "2"].map { [Samples.attachment($0, filename: "Grace.pdf")] }
        let (contents, changes) = changes(sets)
        #expect(Notice.setChanged(contents, changes) == nil)
        #expect(Notice.replaced(in: [(contents: contents, changes: changes)]) { $0 == AttachmentID("2") }?.text == "'Grace'")
    }

    @Test func aPlanThatIsNotReadySaysWhyInOneSentence() {
        func chart(_ name: String) -> ReadinessReport.Chart {
            ReadinessReport.Chart(
                attachment: AttachmentID(name), filename: name, item: name, lacks: [.notDownloaded(because: nil)])
        }
        let plan = Samples.contents("1", attachments: []).plan
        let one = Notice.unready(ReadinessReport.Plan(plan: plan, charts: [chart("a.pdf")]))
        #expect(one.text.contains(": a.pdf: \(ReadinessLack.notDownloaded(because: nil).advised); 'woodshed ready' lists"))
        #expect(one.urgency == .critical)
        let two = Notice.unready(ReadinessReport.Plan(plan: plan, charts: [chart("a.pdf"), chart("b.pdf")]))
        #expect(two.text.contains(", and 1 more; "))
        let old = Notice.unready(ReadinessReport.Plan(plan: plan, charts: []), age: .seconds(3 * 86400))
        #expect(old.text.contains("the service last answered in full 3 days ago"))
    }

    @Test func aPlanWithoutATimeOfDayIsNamedByItsDay() {
        let midnight = Timestamp(nanoseconds: LocalTime.nanoseconds(ofWallTime: 1_796_515_200_000_000_000))
        let plan = Plan(
            id: .ofSet("2026-12-06"), serviceType: ServiceTypeID("set"), title: "Advent", firstTime: midnight,
            lastTime: midnight + .seconds(86_340))
        let notice = Notice.unready(ReadinessReport.Plan(plan: plan, charts: []), age: .seconds(3 * 86400), of: .sets)
        #expect(notice.text.contains("your folders were last read 3 days ago"), "\(notice.text)")
        #expect(notice.text.hasPrefix("Advent, Sun  6 Dec: "), "\(notice.text)")
    }

    /// Other people write titles, which may contain anything, such as markup, control characters, or text that looks like an
    /// option.
    @Test func whatOthersWroteIsShownAsItIs() throws {
        let name = "--help <b>A & B</b> C:\\new\n\u{1b}[31m"
        let (contents, changes) = changes([[], [Samples.attachment("x", filename: name)]])
        let notice = try #require(Notice.setChanged(contents, changes))
        let arguments = DesktopMessages.arguments(for: notice)
        #expect(arguments.dropFirst(3).prefix(2) == ["--", notice.title])
        #expect(arguments.count == 6 && arguments[5].hasSuffix("added '--help &lt;b&gt;A &amp; B&lt;/b&gt; C:\\\\new  [31m'."))
    }

    @Test func whyNothingOpensIsShownInAllItsLines() {
        let long = (1...40).map { "config.yaml:\($0): workers: write a number" }.joined(separator: "\n")
        let text = DesktopMessages.text(of: Notice(title: "Woodshed cannot be opened", text: long, isShownWhole: true))
        #expect(text.split(separator: "\n").count == 40 && text.hasSuffix("config.yaml:40: workers: write a number."))
    }

    @Test func whatIsLongIsShortened() {
        let long = String(repeating: "Halleluja ", count: 100)
        let (contents, changes) = changes([[], (1...3).map { Samples.attachment("\($0)", filename: long) }])
        let text = Notice.setChanged(contents, changes).map { DesktopMessages.text(of: $0) } ?? ""
        #expect(text.count < 300 && text.contains("…"))
        #expect(DesktopMessages.text(of: Notice.refused([Setback("service", long)])).count <= 400)
    }
}
