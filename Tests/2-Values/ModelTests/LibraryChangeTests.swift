import Foundation
import Model
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct LibraryChangeTests {
    private typealias Attachment = Model.Attachment

    private func contents(_ id: String, _ charts: [String], hour: Int64 = 0) -> PlanContents {
        // 2026-11-22T09:30:00Z
        let time = Timestamp(nanoseconds: 1_795_339_800_000_000_000) + .seconds(hour * 3600)
        return PlanContents(
            plan: Plan(id: PlanID(id), serviceType: ServiceTypeID("s"), title: "Sunday Morning", firstTime: time, lastTime: time),
            items: charts.enumerated().map { place, chart in
                PlanItem(id: ItemID("i-\(chart)"), sequence: place, title: chart, attachments: [attachment(chart)])
            })
    }

    private func attachment(_ name: String) -> Attachment {
        Attachment(id: AttachmentID(name), filename: "\(name).pdf", fileSize: 10, updatedAt: Timestamp(nanoseconds: 5))
    }

    private func sentences(_ old: PlanContents, _ new: PlanContents) -> [String] {
        LibraryChange.between([old], [new]).map(\.sentence)
    }

    @Test func eachChangeIsReportedInPlainWords() {
        let old = contents("1", ["Grace", "Peace", "Joy", "Hope"])
        var new = old
        #expect(LibraryChange.between([], [old]).map(\.sentence) == ["Sunday Morning (2026-11-22) is new"])

        new.items[0].attachments[0].fileSize = 11
        #expect(sentences(old, new) == ["'Grace' replaced in Sunday Morning (2026-11-22)"])

        new = old
        new.items[1].attachments.append(attachment("Grace - B♭ part"))
        #expect(sentences(old, new) == ["'Grace - B♭ part' added to Sunday Morning (2026-11-22)"])

        new = old
        new.items.removeLast()
        #expect(
            sentences(old, new) == [
                "Sunday Morning (2026-11-22) has 3 charts instead of 4", "'Hope' removed from Sunday Morning (2026-11-22)",
            ])

        #expect(
            sentences(old, contents("1", ["Grace", "Peace", "Joy", "Hope"], hour: 24)) == [
                "Sunday Morning (2026-11-23) moved from 2026-11-22 09:30 UTC to 2026-11-23 09:30 UTC"
            ])

        #expect(
            sentences(old, contents("1", ["Hope", "Grace", "Peace", "Joy"])) == [
                "'Hope' moved from position 4 to 1 in Sunday Morning (2026-11-22)"
            ])
    }

    @Test func changesOfASetAreReportedOfItsFolder() {
        func plan(_ title: String, at time: Timestamp, to end: Timestamp?) -> Plan {
            Plan(id: .ofSet("a"), serviceType: ServiceTypeID("set"), title: title, firstTime: time, lastTime: end)
        }
        let day = Duration.seconds(86_400)
        let midnight = Timestamp("2026-11-29T00:00:00Z")!
        let old = PlanContents(plan: plan("Advent", at: midnight, to: midnight + day), items: [])
        let new = PlanContents(plan: plan("Advent", at: midnight + day, to: midnight + day + day), items: [])
        #expect(sentences(old, new) == ["Advent (2026-11-30) moved from 2026-11-29 to 2026-11-30"])
        let later = PlanContents(plan: plan("Advent", at: midnight + .seconds(3600), to: nil), items: [])
        #expect(sentences(old, later) == ["Advent (2026-11-29) moved from 2026-11-29 00:00 UTC to 2026-11-29 01:00 UTC"])

        let reference = LibraryChange.PlanReference(old.plan)
        #expect(LibraryChange.planGone(reference).sentence == "Advent (2026-11-29) is no longer in its folder: kept until it is past")
        let shared = LibraryChange.PlanReference(
            Plan(id: .ofSet("band/abc/0123456789abcdef"), serviceType: ServiceTypeID("set"), title: "Advent", firstTime: midnight))
        #expect(
            LibraryChange.planGone(shared).sentence == "Advent (2026-11-29) is no longer shared in the band: kept until it is past")
        for (reason, doubt) in [
            (HoldReason.chartsLost(7, of: 9), "only 2 of the 9 songs or charts shown lately are left"),
            (.chartsLost(1, of: 1), "none of the 1 song or chart shown lately is left"),
            (.dateDoubtful(from: midnight, to: midnight + day), "it is on 2026-11-30 instead of 2026-11-29"),
        ] {
            let sentence = LibraryChange.planHeldBack(reference, reason).sentence
            #expect(sentence.contains("Advent (2026-11-29): what is in this set now looks wrong: \(doubt); kept"), "\(sentence)")
            #expect(!sentence.contains("service") && sentence.contains("woodshed accept set/a"))
        }
    }

    @Test func everyFieldThatMeansOtherBytesCounts() {
        let old = contents("1", ["Grace"])
        let edits: [(inout Attachment) -> Void] = [
            { $0.updatedAt = nil }, { $0.fileSize = 9 }, { $0.generatedFrom = "D" },
            { $0.isGenerated = true },
        ]
        for edit in edits {
            var new = old
            edit(&new.items[0].attachments[0])
            #expect(LibraryChange.between([old], [new]) == [.chartReplaced(.init(new.plan), .init(new.attachments[0]))])
        }
    }

    @Test func aChartUnderAnotherNameIsNotReplaced() {
        let old = contents("1", ["Grace"])
        var new = old
        new.items[0].attachments[0].filename = "Amazing Grace.pdf"
        #expect(sentences(old, new) == ["'Grace' is now called 'Amazing Grace' in Sunday Morning (2026-11-22)"])
        new.items[0].attachments[0].updatedAt = Timestamp(nanoseconds: 6)
        #expect(sentences(old, new) == ["'Amazing Grace' replaced in Sunday Morning (2026-11-22)"])
    }

    @Test func volatileFieldsNeverCount() {
        let old = contents("1", ["Grace", "Peace"])
        var new = old
        new.plan.dates = "22 November"
        new.plan.serviceTypeName = "Mornings"
        new.plan.title = "Advent"
        new.items[0].sequence = 77
        new.items[0].title = "Grace, renamed"
        new.items[0].keyName = "D"
        new.items[0].attachments[0].contentType = ""
        new.leftOut = [LeftOut(attachment: AttachmentID("x"), filename: "x.mp3", item: "", reason: .notAPDF)]
        #expect(LibraryChange.between([old], [new]) == [])
    }

    @Test func aSizeThatIsNotStatedIsNoOtherFile() {
        let stated = contents("1", ["Grace"])
        var silent = stated
        silent.items[0].attachments[0].fileSize = 0
        #expect(LibraryChange.between([silent], [stated]) == [])
        #expect(LibraryChange.between([stated], [silent]) == [])
        silent.items[0].attachments[0].updatedAt = Timestamp(nanoseconds: 6)
        #expect(LibraryChange.between([stated], [silent]).count == 1)
    }

    @Test func anItemThatIsPutInFrontMovesNoOther() {
        let changes = LibraryChange.between([contents("1", ["b", "c", "d"])], [contents("1", ["a", "b", "c", "d"])])
        #expect(changes == [.chartAdded(.init(contents("1", []).plan), .init(attachment("a")))])
    }

    @Test func layersAreComparedByWhatIsSeenOfThem() {
        let mark = Mark(id: "m", page: PageIndex(0), kind: .pen, color: Color(red: 0, green: 0, blue: 0, alpha: 255), points: [])
        let old = Layer(
            id: LayerID("l"), attachment: AttachmentID("a"), personName: "Ann", name: "bowings", revision: 1, marks: [mark])
        func change(_ old: Layer?, _ edit: (inout Layer) -> Void) -> String? {
            var new = old ?? Layer(id: LayerID("l"), attachment: AttachmentID("a"), personName: "Ann", name: "bowings", marks: [])
            edit(&new)
            return LibraryChange.between(old, new, chart: "Grace.pdf")?.sentence
        }
        #expect(change(nil) { _ in } == "marks of 'bowings' by Ann on 'Grace' added")
        #expect(change(nil) { $0.deletedAt = Timestamp(nanoseconds: 1) } == nil)
        #expect(change(old) { $0.marks = [] } == "marks of 'bowings' by Ann on 'Grace' changed")
        #expect(
            change(old) { $0.deletedAt = Timestamp(nanoseconds: 1) } == "marks of 'bowings' by Ann on 'Grace' taken away by their owner")
        #expect(
            change(old) {
                $0.revision = 2
                $0.updatedAt = Timestamp(nanoseconds: 9)
            } == nil)
        var deleted = old
        deleted.deletedAt = Timestamp(nanoseconds: 1)
        #expect(change(deleted) { $0.deletedAt = Timestamp(nanoseconds: 2) } == nil)
        #expect(change(deleted) { $0.deletedAt = nil } == "marks of 'bowings' by Ann on 'Grace' added")
    }

    @Test func aLayerIsCalledByWhatIsKnownOfIt() throws {
        let cases = [
            ("bowings", "Ann", "'bowings' by Ann"), ("", "Ann", "a layer by Ann"), ("bowings", "", "'bowings'"), ("", "", "a layer"),
        ]
        for (name, person, called) in cases {
            let layer = Layer(id: LayerID("l"), attachment: AttachmentID("a"), personName: person, name: name, marks: [])
            #expect(layer.displayName == called)
            let doubt = LayerDoubt(
                layer: layer.id, attachment: layer.attachment, name: name, personName: person, since: Timestamp(nanoseconds: 0),
                reason: .unreadable("?"), keepsFormer: true)
            #expect(doubt.displayName == called)
            #expect(LibraryChange.layerAdded(.init(layer, chart: "Grace.pdf")).sentence == "marks of \(called) on 'Grace' added")
        }
        // A journal entry written before the person's name had a field of its own.
        let former = #"{"id": "l", "attachment": "a", "name": "bowings by Ann", "chart": ""}"#
        let reference = try JSONDecoder().decode(LibraryChange.LayerReference.self, from: Data(former.utf8))
        #expect(LibraryChange.layerAdded(reference).sentence == "marks of 'bowings by Ann' added")
    }

    @Test(arguments: 0..<40 as Range<UInt64>) func randomPlansCompareByValueAlone(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        func plans() -> [PlanContents] {
            (0..<4).map { id in
                var plan = contents(
                    "\(id)", (0..<6).map { _ in "c\(Int.random(in: 0..<8, using: &generator))" },
                    hour: .random(in: 0..<2, using: &generator))
                for item in plan.items.indices where Bool.random(using: &generator) {
                    plan.items[item].attachments.append(attachment("d\(Int.random(in: 0..<4, using: &generator))"))
                }
                return plan
            }
        }
        let (old, new) = (plans(), plans())
        #expect(LibraryChange.between(old, old) == [])
        let changes = LibraryChange.between(old, new)
        #expect(LibraryChange.between(old.shuffled(using: &generator), new.shuffled(using: &generator)) == changes)
        #expect(Set(changes).count == changes.count || changes.contains { if case .itemMoved = $0 { true } else { false } })

        // A chart is reported as added or removed exactly if only one of the two versions has the chart.
        for (before, after) in zip(old, new) {
            let (had, has) = (Set(before.attachments.map(\.id)), Set(after.attachments.map(\.id)))
            let mine = LibraryChange.between([before], [after])
            #expect(Set(mine.compactMap { if case .chartAdded(_, let chart) = $0 { chart.id } else { nil } }) == has.subtracting(had))
            #expect(Set(mine.compactMap { if case .chartRemoved(_, let chart) = $0 { chart.id } else { nil } }) == had.subtracting(has))
        }
    }

    @Test func everyChangeHasASentenceOfItsOwn() {
        let plan = contents("1", ["a"])
        let changes: [LibraryChange] = [
            .planAdded(.init(plan.plan)), .planMoved(.init(plan.plan), from: nil, to: plan.plan.firstTime),
            .planShrinkHeldBack(.init(plan.plan), from: 9, to: 1), .planHeldBack(.init(plan.plan), .chartsLost(8, of: 9)),
            .planGone(.init(plan.plan)), .planDeclined(.init(plan.plan)),
            .layerGone(.init(Layer(id: LayerID("l"), attachment: AttachmentID("a"), marks: []), chart: "a.pdf")),
        ]
        #expect(Set(changes.map(\.sentence)).count == changes.count)
        for change in changes { #expect(!change.sentence.contains("Optional")) }
    }

    /// The plan lost its last days, but begins at the same time as before. A message "on Friday instead of Friday" would help nobody.
    @Test func aPlanThatWouldBeOverIsNotReportedAtItsFormerTime() {
        let friday = Timestamp(nanoseconds: 1_795_000_000_000_000_000)
        let sentence = HoldReason.dateDoubtful(from: friday, to: friday).sentence(in: .utc)
        #expect(sentence == "the service says that it is over already")
        #expect(HoldReason.dateDoubtful(from: friday, to: friday + .seconds(60)).sentence(in: .utc).contains("instead of"))
    }
}
