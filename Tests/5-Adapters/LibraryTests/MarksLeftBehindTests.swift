import Library
import Model
import Platform
import TestSupport
import Testing

/// A plan may show a song's new chart without the marks on the former chart.
@Suite(.onLoop)
struct MarksLeftBehindTests {
    private let home = TemporaryFolder()
    private let plan = PlanID("1")

    private func contents(_ titles: [String], _ files: [(id: String, name: String)]) -> PlanContents {
        var contents = Samples.contents(
            "1", attachments: files.map { Model.Attachment(id: AttachmentID($0.id), filename: $0.name) })
        for (index, title) in titles.enumerated() { contents.items[index].title = title }
        return contents
    }

    /// Puts marks on the chart of a plan's first song, changes the plan to `later`, and returns whose marks are left behind.
    @LoopActor private func left(
        by later: PlanContents, marks: Bool = true, named name: String = "bowings"
    ) throws -> (library: Library, whose: [String]) {
        let library = try Library(folder: home.path)
        try library.plans.update([contents(["Grace", "Holy"], [("a", "part.pdf"), ("b", "o.pdf")])], at: Samples.monday)
        let mark = Mark(
            id: "m", page: PageIndex(0), kind: .pen, color: Color(red: 1, green: 2, blue: 3, alpha: 4), points: [Mark.Point(x: 0, y: 0)])
        let layer = Layer(
            id: LayerID("l"), attachment: AttachmentID("a"), personName: "Ann", name: name, marks: marks ? [mark] : [])
        _ = try library.layers.update(layers: [layer], of: plan, at: Samples.monday)
        try library.plans.update([later], at: Samples.monday + .seconds(60))
        return (library, try library.drawings.marksLeftBehind()[plan]?.flatMap(\.whose) ?? [])
    }

    @Test @LoopActor func whatTakesTheirPlaceUnderAnotherNameIsAsked() throws {
        let (library, whose) = try left(by: contents(["Grace", "Holy"], [("a2", "part_v2.pdf"), ("b", "o.pdf")]))
        #expect(whose == ["'bowings' by Ann"])
        #expect(try library.accept(plan: plan, at: Samples.monday))
        #expect(try library.drawings.marksLeftBehind() == [:])
        #expect(try !library.accept(plan: plan, at: Samples.monday))
    }

    @Test(arguments: [
        ("Grace", "part_v2.pdf", true, "", ["a layer by Ann"]),
        // A song that is no longer played, a chart without marks, and a chart whose marks move along leave nothing behind.
        ("Other", "part_v2.pdf", true, "bowings", []), ("Grace", "part_v2.pdf", false, "bowings", []),
        ("Grace", "part.pdf", true, "bowings", []),
    ]) @LoopActor
    func whatIsLeftIsCalledByWhoseItIs(title: String, file: String, marks: Bool, name: String, whose: [String]) throws {
        #expect(try left(by: contents([title, "Holy"], [("a2", file), ("b", "o.pdf")]), marks: marks, named: name).whose == whose)
    }

    @Test @LoopActor func whoeverChoosesOtherChartsKnowsIt() throws {
        var later = contents(["Grace", "Holy"], [("a2", "part_v2.pdf"), ("b", "o.pdf")])
        later.leftOut = [
            LeftOut(attachment: AttachmentID("a"), filename: "part.pdf", item: "Grace", reason: .notChosen(rule: "charts.exclude"))
        ]
        #expect(try left(by: later).whose == [])
    }

    /// Two songs may share a sheet. Marks for one song that is no longer played are not meant for the other.
    @Test @LoopActor func theSameBytesForAnotherSongAreNotInItsPlace() throws {
        let library = try Library(folder: home.path)
        let both = contents(["Grace", "Holy"], [("a", "part.pdf"), ("b", "o.pdf")])
        try library.plans.update([both], at: Samples.monday)
        for attachment in both.attachments { try library.download(Samples.pdf("1"), for: attachment) }
        let mark = Mark(id: "m", page: PageIndex(0), kind: .pen, points: [Mark.Point(x: 0, y: 0)])
        let layer = Layer(id: LayerID("l"), attachment: AttachmentID("a"), personName: "Ann", name: "bowings", marks: [mark])
        _ = try library.layers.update(layers: [layer], of: plan, at: Samples.monday)
        var later = both
        later.items.removeFirst()
        try library.plans.update([later], at: Samples.monday + .seconds(60))
        _ = try library.layers.update(layers: [], of: plan, at: Samples.monday + .seconds(60))
        #expect(try library.layers.all(of: AttachmentID("a")).count == 1)
        #expect(try library.layers.all(of: AttachmentID("b")).isEmpty)
    }
}
