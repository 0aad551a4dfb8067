import Library
import Model
import Platform
import TestSupport
import Testing

/// A page's missing content is remembered until the page is drawn whole, or until somebody accepts the loss.
@Suite(.onLoop)
struct LostContentTests {
    private let home = TemporaryFolder()
    private let attachment = Samples.attachment("a")
    private let chart = Samples.hash(Samples.pdf("1"))

    @LoopActor private func library() throws -> Library {
        let library = try Library(folder: home.path)
        try library.plans.update([Samples.contents("1", attachments: [attachment])], at: Samples.monday)
        try library.download(Samples.pdf("1"), for: attachment)
        return library
    }

    @LoopActor private func lost(_ library: Library) throws -> [Int: String] {
        let lost = try (library.images.lostContent()[chart] ?? []).filter { !$0.isAccepted }
        return Dictionary(uniqueKeysWithValues: lost.map { ($0.page.value, $0.reason) })
    }

    @Test @LoopActor func itIsKnownUntilThePageIsDrawnWhole() throws {
        let library = try library()
        try library.images.note(lostContent: "torn", on: PageIndex(1), of: chart)
        try library.images.note(lostContent: "rubbish", on: PageIndex(3), of: chart)
        #expect(try lost(library) == [1: "torn", 3: "rubbish"])
        try library.images.note(lostContent: nil, on: PageIndex(1), of: chart)
        #expect(try lost(library) == [3: "rubbish"])
        try library.images.note(lostContent: "worse", on: PageIndex(3), of: chart)
        #expect(try lost(library) == [3: "worse"])
    }

    @Test @LoopActor func whatIsAcceptedIsNotToldAgain() throws {
        let library = try library()
        #expect(try library.accept(chart: attachment.id) == [])
        try library.images.note(lostContent: "torn", on: PageIndex(1), of: chart)
        #expect(try library.accept(chart: attachment.id) == .pages)
        #expect(try lost(library) == [:])
        try library.images.note(lostContent: "torn", on: PageIndex(1), of: chart)
        #expect(try lost(library) == [:], "it is drawn again, and is as it was when it was accepted")
        try library.images.note(lostContent: "torn", on: PageIndex(2), of: chart)
        #expect(try lost(library) == [2: "torn"], "nobody has looked at this one")
        #expect(try library.accept(chart: attachment.id) == .pages)
        #expect(try library.accept(chart: attachment.id) == [])
    }

    @Test @LoopActor func aChartThatIsGoneMeanwhileHasNone() throws {
        let library = try library()
        try library.images.note(lostContent: "torn", on: PageIndex(1), of: Samples.hash(Samples.pdf("2")))
        #expect(try library.images.lostContent() == [:])
    }
}
