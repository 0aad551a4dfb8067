import Catalogue
import Model
import Platform
import TestSupport
import Testing

@testable import Library

@Suite(.onLoop)
struct ImageRecordsTests {
    private let home = TemporaryFolder()
    private let a = Samples.attachment("a")
    private let hashA = Samples.hash(Samples.pdf("a"))

    @LoopActor private func library() throws -> Library {
        let library = try Library(folder: home.path)
        try library.plans.update([Samples.contents("1", attachments: [a])], at: Samples.monday)
        try library.download(Samples.pdf("a"), for: a)
        return library
    }

    /// An image of a chart; `edition` stands for the image's other inputs.
    private func image(
        of chart: ChartHash? = nil, page: Int = 0, _ variant: Variant = .plain, edition: Int = 1
    ) -> ImageName {
        let renderer = RendererIdentity(tag: RendererTag("r\(edition)"), fonts: FontSet(Samples.hash([]).digest))
        return ImageName(
            ImageInputs(
                renderer: renderer, chart: chart ?? hashA, chartNeedsFonts: false, page: PageIndex(page),
                variant: variant, settings: RenderSettings()))
    }

    private func record(
        _ name: ImageName, _ event: ImageEvent = .made, renderer: String = "r1", size: Int = 4096, after seconds: Int = 0
    ) -> ImageRecord {
        ImageRecord(name: name, renderer: renderer, event: event, size: ByteCount(size), at: Samples.monday + .seconds(seconds))
    }

    @Test @LoopActor func everyVariantOfAPageHasItsRecordAlsoAfterReopening() throws {
        let records = [image(), image(.thumbnail), image(page: 11)].map { record($0) }
        let library = try library()
        try library.images.record(records)
        library.close()
        #expect(try Set(Library(folder: home.path).images.records()) == Set(records))
        #expect(try Set(Library(readingFrom: home.path).images.records()) == Set(records))
    }

    @Test @LoopActor func laterFateKeepsWhatTheImageWasMadeWith() throws {
        let library = try library()
        try library.images.record([record(image(), renderer: "r1", size: 8192)])
        try library.images.record([record(image(), .vanished, renderer: "", size: 0, after: 5)])
        #expect(try library.images.records() == [record(image(), .vanished, renderer: "r1", size: 8192, after: 5)])
        try library.images.record([record(image(), renderer: "r1", size: 12288, after: 9)])
        #expect(try library.images.records() == [record(image(), renderer: "r1", size: 12288, after: 9)])
    }

    @Test @LoopActor func theFormatStaysUntilTheNextImageIsMade() throws {
        let library = try library()
        let inputs = ImageInputs(
            renderer: RendererIdentity(tag: RendererTag("r1"), fonts: FontSet(Samples.hash([]).digest)), chart: hashA,
            chartNeedsFonts: false, page: PageIndex(0), variant: .thumbnail, settings: RenderSettings(fullSize: 900))
        var made = record(ImageName(inputs))
        made.format = ImageFormat(inputs)
        try library.images.record([made])
        #expect(try library.images.record(besides: made.name) == made)
        try library.images.record([record(made.name, .trimmed, after: 1)])
        #expect(try library.images.record(besides: made.name)?.format == made.format)
        try library.images.record([record(image(.thumbnail, edition: 2), after: 2)])
        #expect(try library.images.record(besides: made.name)?.format == nil)
    }

    @Test @LoopActor func whatHappensToAFormerImageIsNoNewsOfThePage() throws {
        let library = try library()
        let (former, latest) = (record(image(edition: 1)), record(image(edition: 2), after: 1))
        try library.images.record([former, latest, record(image(edition: 1), .trimmed, after: 2)])
        #expect(try library.images.records() == [latest])
    }

    @Test @LoopActor func pageThatNothingIsKnownOfTakesAnyWord() throws {
        let library = try library()
        let trimmed = record(image(), .trimmed, renderer: "", size: 4096)
        try library.images.record([trimmed])
        #expect(try library.images.records() == [trimmed])
        // Only the former event has the size, and only the new event has the renderer.
        try library.images.record([record(image(), .vanished, renderer: "r1", size: 0, after: 1)])
        #expect(try library.images.records() == [record(image(), .vanished, renderer: "r1", size: 4096, after: 1)])
    }

    @Test @LoopActor func imagesOfChartsThatAreNotHereArePassedOver() throws {
        let library = try library()
        try library.images.record([record(image(of: Samples.hash([1]))), record(image())])
        #expect(try library.images.records() == [record(image())])
    }

    @Test @LoopActor func recordsGoWithTheirChart() throws {
        let library = try library()
        let b = Samples.attachment("b")
        try library.plans.update([Samples.contents("2", day: 7, attachments: [b])], at: Samples.monday)
        let hashB = try library.download(Samples.pdf("b"), for: b)
        let kept = record(image(of: hashB))
        try library.images.record([record(image()), record(image(page: 1)), kept])
        #expect(try library.pruneWatched(now: Samples.monday + .seconds(31 * 86_400)) == [hashA])
        #expect(try library.images.records() == [kept])
        try library.images.forgetImages(of: hashB)
        #expect(try library.images.records() == [])
    }

    @Test @LoopActor func nothingToRecordWritesNothing() throws {
        let library = try library()
        let before = try library.diskBytes()
        try library.images.record([])
        #expect(try library.diskBytes() == before)
    }

    @Test @LoopActor func whatFailsRecordsNothing() throws {
        let library = try library()
        try library.database.script(
            "CREATE TEMP TRIGGER fault BEFORE INSERT ON image_records WHEN NEW.page = 2 BEGIN SELECT raise(ABORT, 'fault'); END")
        #expect(throws: LibraryError.self) { try library.images.record([record(image()), record(image(page: 2))]) }
        #expect(try library.images.records() == [])
    }

    /// After events in any order, the page's record is about the latest image, and has the latest event about that image.
    @Test(arguments: 0..<20) @LoopActor func recordFollowsFromTheWholeHistory(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let library = try library()
        var history: [ImageRecord] = []
        for round in 0..<40 {
            let name = image(
                page: Int.random(in: 0..<2, using: &generator), edition: Int.random(in: 0..<3, using: &generator))
            let event = try #require(ImageEvent.allCases.randomElement(using: &generator))
            history.append(record(name, event, renderer: "r", size: 4096, after: round))
        }
        for start in stride(from: 0, to: history.count, by: 7) { try library.images.record(Array(history[start...].prefix(7))) }
        for page in 0..<2 {
            let told = history.filter { $0.name.page == PageIndex(page) }
            guard let latest = told.last(where: { $0.event == .made }) ?? told.first else { continue }
            let expected = told.last { $0.name == latest.name && $0.at >= latest.at }
            #expect(try library.images.record(besides: latest.name) == expected)
            // Records that are not yet written are combined in the same way.
            let first = try #require(told.first)
            #expect(told.dropFirst().reduce(first) { $0.followed(by: $1) } == expected)
        }
    }

    @Test @LoopActor func whatIsToldBesideTheWriterIsRemembered() throws {
        #expect(throws: LibraryError.missing(path: home.path("catalogue.sqlite"))) {
            try Library.change(in: home.path) { library throws(LibraryError) in try library.images.record([record(image())]) }
        }
        let library = try library()
        try library.images.record([record(image())])
        try Library.change(in: home.path) { library throws(LibraryError) in try library.images.record([record(image(), .corrupt, after: 1)])
        }
        #expect(try library.images.missReason(of: image(), renderer: "r1") == .corrupt)
    }

    // MARK: Reasons

    @Test(arguments: [
        (ImageEvent.made, MissReason.vanished), (.vanished, .vanished), (.trimmed, .trimmed), (.cleared, .cleared), (.corrupt, .corrupt),
    ])
    @LoopActor func missOfTheImageMadeLastIsItsFate(event: ImageEvent, reason: MissReason) throws {
        let library = try library()
        try library.images.record([record(image()), record(image(), event, after: 1)])
        #expect(try library.images.missReason(of: image(), renderer: "r1") == reason)
        // The image's event explains more than the fact that another renderer would draw the image today.
        #expect(try library.images.missReason(of: image(), renderer: "r2") == reason)
    }

    @Test @LoopActor func missOfAnotherImageIsTheRenderersOrNobodys() throws {
        let library = try library()
        #expect(try library.images.missReason(of: image(), renderer: "r1") == .neverMade)
        try library.images.record([record(image(), .trimmed, renderer: "r1"), record(image(page: 1), .trimmed, renderer: "")])
        #expect(try library.images.missReason(of: image(edition: 2), renderer: "r2") == .rendererChanged)
        #expect(try library.images.missReason(of: image(edition: 2), renderer: "r1") == .neverMade, "new marks, or another size")
        #expect(try library.images.missReason(of: image(page: 1, edition: 2), renderer: "r2") == .neverMade, "nobody knows who drew it")
        #expect(try library.images.missReason(of: image(.thumbnail), renderer: "r2") == .neverMade)
    }
}
