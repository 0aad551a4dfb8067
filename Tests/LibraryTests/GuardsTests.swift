import Model
import Platform
import TestSupport
import Testing

@testable import Library

/// What the library keeps against a poll that tells less.
@Suite(.onLoop, .timeLimit(.minutes(15)))
struct GuardsTests {
    private let home = TemporaryFolder()
    private let whole = Samples.contents("1", attachments: ["a", "b", "c", "d", "e"].map { Samples.attachment($0) })
    private let shrunk = Samples.contents("1", attachments: ["a", "b"].map { Samples.attachment($0) })
    private let now = Samples.monday + .seconds(-86400)
    private let minute = Duration.seconds(60)

    @LoopActor private func library() throws -> Library {
        let library = try Library(folder: home.path)
        try library.update([whole], at: now)
        return library
    }

    private func isShrink(_ change: LibraryChange) -> Bool {
        if case .planShrunk(_, 5, 2) = change { true } else { false }
    }

    @Test @LoopActor func aPlanThatLosesMostChartsIsKeptAndToldOnce() throws {
        let library = try library()
        let change = LibraryChange.planShrinkHeldBack(.init(whole.plan), from: 5, to: 2)
        #expect(try library.update([shrunk], at: now) == [change])
        #expect(try library.plans() == [whole])
        #expect(try library.heldBack().map(\.told) == [shrunk])
        #expect(try library.heldBack().map(\.chartsKept) == [5])

        let bytes = try library.diskBytes()
        #expect(try library.update([shrunk], at: now + minute * 59) == [])
        #expect(try library.diskBytes() == bytes)
        #expect(try library.journal().map(\.change) == [.planAdded(.init(whole.plan)), change])
    }

    @Test @LoopActor func anHourConfirmsIt() throws {
        var library = try library()
        try library.update([shrunk], at: now)
        library.close()
        library = try Library(folder: home.path)
        #expect(try library.update([shrunk], at: now + minute * 60).contains(where: isShrink))
        #expect(try library.plans() == [shrunk])
        #expect(try library.heldBack() == [])
        #expect(try library.update([shrunk], at: now + minute * 61) == [])
    }

    @Test @LoopActor func otherContentsBeginTheirHourAnew() throws {
        let library = try library()
        try library.update([shrunk], at: now)
        let other = Samples.contents("1", attachments: [Samples.attachment("a")])
        #expect(try library.update([other], at: now + minute * 30) == [])
        #expect(try library.update([other], at: now + minute * 80) == [])
        #expect(try library.plans() == [whole])
        #expect(try !library.update([other], at: now + minute * 90).isEmpty)
        #expect(try library.plans() == [other])
    }

    @Test @LoopActor func aClockThatWasWrongIsNotWaitedFor() throws {
        let library = try library()
        try library.update([shrunk], at: now + minute * 1_000_000)
        #expect(try library.update([shrunk], at: now) == [])
        #expect(try library.update([shrunk], at: now + minute * 60).contains(where: isShrink))
    }

    @Test @LoopActor func aPlanThatIsWholeAgainIsHeldBackNoMore() throws {
        let library = try library()
        try library.update([shrunk], at: now)
        #expect(try library.update([whole], at: now + minute) == [])
        #expect(try library.heldBack() == [])
        #expect(try library.update([shrunk], at: now + minute * 61).count == 1)
        #expect(try library.plans() == [whole])
    }

    @Test @LoopActor func somebodyAcceptsIt() throws {
        let library = try library()
        #expect(try library.accept(plan: whole.plan.id, at: now) == false)
        try library.update([shrunk], at: now)
        #expect(try library.accept(plan: PlanID("other"), at: now) == false)
        #expect(try library.accept(plan: whole.plan.id, at: now))
        #expect(try library.plans() == [shrunk])
        #expect(try library.heldBack() == [])
        #expect(try library.journal().contains { isShrink($0.change) })
        #expect(try library.update([shrunk], at: now + minute) == [])
    }

    @Test @LoopActor func halfOfThemMayGoAndSoMayThoseLeftOutByChoice() throws {
        let library = try library()
        let three = Samples.contents("1", attachments: ["a", "b", "c"].map { Samples.attachment($0) })
        #expect(try library.update([three], at: now).contains { if case .planShrunk(_, 5, 3) = $0 { true } else { false } })
        var chosen = Samples.contents("1", attachments: [])
        chosen.leftOut = ["a", "b"].map {
            LeftOut(attachment: AttachmentID($0), filename: "\($0).pdf", item: "", reason: .notChosen(rule: "no parts"))
        }
        try library.update([chosen], at: now)
        #expect(try library.plans() == [chosen])
    }

    @Test @LoopActor func aPlanThatIsNotNamedAnyMoreIsKeptAndToldOnce() throws {
        let library = try library()
        let other = Samples.contents("2", day: 1, attachments: [])
        #expect(try library.update([other], named: [other.plan.id, whole.plan.id], at: now) == [.planAdded(.init(other.plan))])
        #expect(try library.update([other], named: [other.plan.id], at: now) == [.planGone(.init(whole.plan))])
        #expect(try library.plans() == [whole, other])
        #expect(try library.gonePlans() == [whole.plan.id: now])

        let bytes = try library.diskBytes()
        #expect(try library.update([other], named: [other.plan.id], at: now + minute) == [])
        #expect(try library.update([other], at: now + minute) == [])
        #expect(try library.diskBytes() == bytes)

        #expect(try library.update([], named: [other.plan.id, whole.plan.id], at: now + minute) == [])
        #expect(try library.gonePlans() == [:])
    }

    @Test @LoopActor func aPlanThatHasBegunDropsOutOfTheListUnflagged() throws {
        let library = try library()
        let begun = try #require(whole.plan.firstTime)
        #expect(try library.update([], named: [], at: begun) == [])
        #expect(try library.gonePlans() == [:])
    }

    @Test @LoopActor func layersThatVanishWithoutAWordAreKeptAndToldOnce() throws {
        let library = try library()
        let layers = ["a", "b", "elsewhere"].map {
            Layer(id: LayerID("on \($0)"), attachment: AttachmentID($0), personName: "Ann", name: "bowings", marks: [])
        }
        try library.update(layers: layers, of: whole.plan.id, at: now)
        let gone = try library.update(layers: [layers[1]], of: whole.plan.id, at: now)
        // The chart of the third is none of the plan's: its layers are not expected.
        #expect(gone == [.layerGone(.init(layers[0], chart: "a.pdf"))])
        #expect(try library.layers(of: AttachmentID("a")) == [layers[0]])
        #expect(try library.goneLayers() == [layers[0].id])

        let bytes = try library.diskBytes()
        #expect(try library.update(layers: [layers[1]], of: whole.plan.id, at: now + minute) == [])
        #expect(try library.diskBytes() == bytes)

        #expect(try library.update(layers: layers, of: whole.plan.id, at: now + minute) == [])
        #expect(try library.goneLayers() == [])
    }

    @Test @LoopActor func aDeletedLayerIsADeletionAndNotGone() throws {
        let library = try library()
        var layer = Layer(id: LayerID("l"), attachment: AttachmentID("a"), name: "bowings", marks: [])
        #expect(try library.update(layers: [layer], of: whole.plan.id, at: now) == [.layerAdded(.init(layer, chart: "a.pdf"))])
        layer.deletedAt = now
        #expect(try library.update(layers: [layer], of: whole.plan.id, at: now) == [.layerDeleted(.init(layer, chart: "a.pdf"))])
        #expect(try library.update(layers: [], of: whole.plan.id, at: now) == [])
    }
}
