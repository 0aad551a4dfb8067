import Catalogue
import ChartFiles
import Freshness
import Glibc
import Library
import Model
import PageCache
import Platform
@testable import Commands
import TestSupport
import Testing

@testable import ImageKeeping
@testable import Marks
@testable import Readiness

/// Reports from the facts in a real library and a real cache.
@Suite(.onLoop)
struct ReadinessCheckTests {
    private let home = TemporaryFolder()
    private let now = Timestamp(nanoseconds: 1_795_000_000_000_000_000)
    private let renderer = RendererIdentity(tag: RendererTag("r"), fonts: FontSet(SHA256.digest(of: "fonts")))

    private func plan(_ id: String, day: Int, charts: [String], leftOut: [LeftOut] = []) -> PlanContents {
        let time = now + .seconds(86_400 * day)
        let items = charts.enumerated().map { place, chart in
            PlanItem(
                id: ItemID("\(id)-\(place)"), sequence: place, title: "Song \(chart)",
                attachments: [Attachment(id: AttachmentID(chart), filename: "\(chart).pdf")])
        }
        return PlanContents(
            plan: Plan(id: PlanID(id), serviceType: ServiceTypeID("1"), title: "Plan \(id)", firstTime: time, lastTime: time),
            items: items, leftOut: leftOut)
    }

    @LoopActor
    private func download(_ chart: String, _ library: Library, pages: Int = 1, for use: Model.Attachment? = nil) throws -> ChartHash {
        let use = use ?? Attachment(id: AttachmentID(chart), filename: "\(chart).pdf")
        let bytes = Array("%PDF-1.7\n\(chart) \(use.generatedFrom)\n%%EOF\n".utf8)
        let file = try library.charts.beginChart()
        try bytes.withUnsafeBytes { try file.write($0) }
        let hash = ChartHash(SHA256.digest(of: bytes))
        try library.charts.keep(
            file, hash: hash, size: bytes.count, for: use.id, madeFrom: use.generatedFrom, version: use.version)
        try library.charts.setDescription(
            StoredDescription(pages: [PageGeometry](repeating: PageGeometry(width: 600, height: 800), count: pages)), of: hash,
            by: renderer.tag)
        return hash
    }

    /// Puts the images of a chart's first page into the cache, as `identity` would draw them.
    @LoopActor
    private func publishPages(of chart: ChartHash, by identity: RendererIdentity? = nil) throws {
        let cache = try PageCache(folder: home.path("cache"))
        for variant in [Variant.plain, .thumbnail] {
            let inputs = ImageInputs(
                renderer: identity ?? renderer, chart: chart, chartNeedsFonts: false, page: PageIndex(0), variant: variant,
                settings: RenderSettings())
            let file = try cache.begin(ImageName(inputs))
            try SimulatedRenderer.png(for: inputs.key).withUnsafeBytes { try file.write($0) }
            try cache.publish(file, as: ImageName(inputs))
        }
    }

    @LoopActor
    private func report(
        _ plans: [PlanContents], _ library: Library, limit: ByteCount? = nil, refusals: [AttachmentID: String] = [:],
        isThorough: Bool = true
    ) async throws -> ReadinessReport {
        let cache = try PageCache(readingFrom: home.path("cache"), side: SideThread(inline: true))
        let wants = LibraryWants(library: library, render: RenderSettings(), ahead: .seconds(28 * 86_400))
        try Folder.create(home.path("cache"))
        let keeper = CacheKeeper(
            library: library, cache: cache, wants: wants,
            settings: CacheSettings(limit: limit ?? ByteCount(1 << 40), leastFree: .bytes(ByteCount(0))), time: SimulatedClock(),
            log: .silent)
        return try await ReadinessCheck(
            library: library, cache: cache, wants: wants, keeper: keeper, renderer: renderer,
            marks: MarkRoots([home.path("music")], charts: [home.path("Sets")])
        ).report(of: plans, ReadinessCheck.Circumstances(now: now, isThorough: isThorough, refusals: refusals))
    }

    @Test @LoopActor func whatIsNotAllowedAndWhatNeverCameIsLacking() async throws {
        let library = try Library(folder: home.path("data"))
        let left = [
            LeftOut(attachment: AttachmentID("8"), filename: "Secret.pdf", item: "Anthem", reason: .noPermission),
            LeftOut(attachment: AttachmentID("9"), filename: "Drums.pdf", item: "Anthem", reason: .notChosen(rule: "exclude")),
        ]
        let contents = plan("1", day: 1, charts: ["a", "b", "c"], leftOut: left)
        try library.plans.update([contents], at: now)
        try library.charts.note(downloadFault: "the disk was full", of: contents.attachments[2], at: now)
        let report = try await report([contents], library, refusals: [AttachmentID("b"): "it is no PDF"])
        let charts = report.plans[0].charts
        #expect(charts.map(\.filename) == ["a.pdf", "b.pdf", "c.pdf", "Secret.pdf"])
        #expect(charts.prefix(3).map(\.lacks) == [nil, "it is no PDF", "the disk was full"].map { [.notDownloaded(because: $0)] })
        #expect(charts[3].lacks == [.noPermission])
        #expect(charts[0].item == "Song a" && report.lastPoll == nil && !report.isReady)
    }

    @Test @LoopActor func aCatalogueThatMayLackSomethingIsLackingInEveryPlan() async throws {
        let contents = plan("1", day: 1, charts: [])
        var library = try Library(folder: home.path("data"))
        try library.plans.update([plan("1", day: 1, charts: ["a"])], at: now)
        _ = try download("a", library)
        library.close()
        unlink(home.path("data/catalogue.sqlite"))
        library = try Library(folder: home.path("data"))
        try library.plans.update([contents], at: now)
        #expect(try await report([contents], library).plans[0].lacks.contains(.begunAnew(charts: 1)))
        try library.recordPoll(at: now)
        #expect(try await !report([contents], library).plans[0].lacks.contains(.begunAnew(charts: 1)))
    }

    /// The file is not gone, and a sync could not fetch it again.
    @Test @LoopActor func aChartOnADiskThatIsAwayIsToldWithTheLink() async throws {
        let library = try Library(folder: home.path("data"))
        let contents = plan("1", day: 1, charts: ["a"])
        try library.plans.update([contents], at: now)
        _ = try download("a", library)
        rename(home.path("data/charts"), home.path("disk"))
        symlink("/nowhere/disk", home.path("data/charts"))
        let lacks = try await report([contents], library).plans[0].charts[0].lacks
        guard case .fileUnreadable(_, let reason) = lacks.first else {
            Issue.record("\(lacks)")
            return
        }
        #expect(reason.contains("\(home.path("data/charts")) is a link to /nowhere/disk, which is away"))
    }

    @Test @LoopActor func whatThereIsNoRoomForIsToldApart() async throws {
        let library = try Library(folder: home.path("data"))
        let contents = plan("1", day: 1, charts: ["a"])
        try library.plans.update([contents], at: now)
        _ = try download("a", library, pages: 3)
        let roomy = try await report([contents], library)
        #expect(roomy.plans[0].charts[0].lacks == [.notRendered((0..<3).map { PageIndex($0) }, images: 6)])
        let tight = try await report([contents], library, limit: ByteCount(1))
        guard case .noRoom(6, let shortage) = tight.plans[0].charts[0].lacks.first else {
            Issue.record("\(tight.plans[0].charts[0].lacks)")
            return
        }
        #expect(!shortage.isOfDisk && shortage.remedy.contains("raise cache.limit"))
    }

    @Test @LoopActor func faultsOfThisRendererCountAndThoseOfOthersDoNot() async throws {
        let library = try Library(folder: home.path("data"))
        let contents = plan("1", day: 1, charts: ["a"])
        try library.plans.update([contents], at: now)
        let hash = try download("a", library)
        let image = ImageName(
            ImageInputs(
                renderer: renderer, chart: hash, chartNeedsFonts: false, page: PageIndex(0), variant: .plain, settings: RenderSettings()))
        var fault = RenderFault(
            chart: hash, image: image, tag: RendererTag("other"), reason: "a bomb", tries: 2, isFinal: true, at: now)
        try library.images.setFault(fault)
        #expect(try await report([contents], library).plans[0].charts[0].lacks == [.notRendered([PageIndex(0)], images: 2)])
        fault.tag = renderer.tag
        try library.images.setFault(fault)
        #expect(
            try await report([contents], library).plans[0].charts[0].lacks == [
                .cannotBeDrawn([PageIndex(0)], reason: "a bomb"), .notRendered([PageIndex(0)], images: 1),
            ])
        try library.charts.setUnreadable("no pages", of: hash, by: renderer.tag)
        #expect(try await report([contents], library).plans[0].charts[0].lacks == [.cannotBeOpened(reason: "no pages")])
    }

    /// Until the chart in the other key is here, the present one is shown in its place, so the plan is not ready.
    @Test @LoopActor func aSongInTwoKeysIsReadyOnlyWithTheChartsOfBoth() async throws {
        let library = try Library(folder: home.path("data"))
        var contents = plan("1", day: 1, charts: ["a", "a"])
        for (place, key) in ["G", "Bb"].enumerated() {
            contents.items[place].attachments[0] = Attachment(
                id: AttachmentID("a"), filename: "a.pdf", isGenerated: true, generatedFrom: key)
        }
        let uses = contents.items.flatMap(\.attachments)
        try library.plans.update([contents], at: now)
        try library.recordPoll(at: now)
        for (place, isWhole) in [false, true].enumerated() {
            let hash = try download("a", library, for: uses[place])
            try publishPages(of: hash)
            let verdict = ReadinessVerdict(report: try await report(library.plans.all(), library), maxAge: nil)
            #expect(verdict.isReady == isWhole)
            let plan = verdict.report.plans[0]
            #expect(plan.unready.map(\.lacks) == (isWhole ? [] : [[.outOfDate(because: nil)]]))
            #expect(plan.distinctCharts.count == 2)
        }
    }

    @Test(arguments: [Variant.plain, .thumbnail])
    @LoopActor func formerImagesCountIfTheyAreWhole(damaged: Variant) async throws {
        let library = try Library(folder: home.path("data"))
        let contents = plan("1", day: 1, charts: ["a"])
        try library.plans.update([contents], at: now)
        let hash = try download("a", library)
        let former = RendererIdentity(tag: RendererTag("former"), fonts: renderer.fonts)
        try publishPages(of: hash, by: former)
        let chart = try await report([contents], library).plans[0].charts[0]
        #expect(chart.lacks == [] && chart.notes == [.formerImages(2)])

        let cache = try PageCache(folder: home.path("cache"))
        let name = try #require(cache.present().first { $0.variant == damaged })
        var bytes = try AtomicFile.read(cache.path(of: name), limit: 1 << 20)
        bytes[bytes.count / 2] ^= 1
        let file = try Descriptor.open(cache.path(of: name), O_WRONLY)
        try bytes.withUnsafeBytes { try file.write($0) }
        let lacking = try await report([contents], library).plans[0].charts[0]
        #expect(lacking.lacks == [.notRendered([PageIndex(0)], images: 1)] && lacking.notes == [.formerImages(1)])

        truncate(cache.path(of: name), 70)
        let cut = try await report([contents], library, isThorough: false).plans[0].charts[0]
        #expect(cut.lacks == [.notRendered([PageIndex(0)], images: 1)])
    }

    @Test @LoopActor func plansThatChangedAreLackingUntilTheyAreAccepted() async throws {
        let library = try Library(folder: home.path("data"))
        let whole = plan("1", day: 1, charts: ["a", "b", "c"])
        let (far, past) = (plan("2", day: 90, charts: []), plan("3", day: -9, charts: []))
        try library.plans.update([whole, far, past], at: now)
        try library.plans.update([plan("1", day: 1, charts: ["a"])], named: [PlanID("1"), PlanID("3")], at: now)
        let plans = try await report(library.plans.all(), library).plans
        #expect(plans.map(\.plan.id.text) == ["1", "2", "3"])
        #expect(plans.map(\.standing) == [.coming, .far, .past])
        #expect(plans[0].lacks == [.heldBack(.chartsLost(2, of: 3), plan: PlanID("1"))] && plans[0].charts.count == 3)
        #expect(plans[2].notes == [.noCharts, .past] && plans[1].notes == [.noCharts, .gone(since: now), .far])
        #expect(try library.accept(plan: PlanID("1"), at: now))
        let accepted = try await report(library.plans.all(), library).plans[0]
        #expect(accepted.lacks == [] && accepted.charts.count == 1)
    }

    @Test(arguments: [0, 1]) @LoopActor func aPlanWithoutAnyFileIsWonderedAtForAnHour(songs: Int) async throws {
        let library = try Library(folder: home.path("data"))
        var contents = plan("1", day: 1, charts: [])
        contents.items = (0..<songs).map { PlanItem(id: ItemID("\($0)"), sequence: 1, title: "Amazing Grace", kind: "song") }
        try library.plans.update([contents], at: now)
        let hour = Duration.seconds(3600)
        for (age, isDoubted) in [(Duration.zero, true), (hour - .seconds(1), true), (hour, false), (hour * 30, false)] {
            try library.plans.update([contents], at: now + age)
            try library.recordPoll(at: now + age, now: true)
            #expect(try await report([contents], library).plans[0].lacks == (isDoubted ? [.nothingListed(songs: songs)] : []), "\(age)")
        }
        // Files of another kind are also a reason why a plan has no charts.
        contents.leftOut = [LeftOut(attachment: AttachmentID("r"), filename: "r.mp3", item: "", reason: .notAPDF)]
        try library.plans.update([contents], at: now + hour * 30)
        #expect(try await report([contents], library).plans[0].lacks == [])
    }

    /// A plan that was sent without any file is doubted until that is confirmed. Neither a wrong clock nor one that has just been
    /// set right confirms it.
    @Test(arguments: [Duration.seconds(-7200), .seconds(7200)])
    @LoopActor func aPlanThatWentWithoutAnyFileIsConfirmedByNoClock(ahead: Duration) async throws {
        let library = try Library(folder: home.path("data"))
        let contents = plan("1", day: 1, charts: [])
        try library.plans.update([contents], at: now)
        try library.plans.update([], named: [], at: now + .seconds(60))
        for hours in [2, 4, 6] {
            let time = now + .seconds(3600 * hours)
            try library.service.record(clockAhead: hours == 4 ? nil : ahead, at: time)
            try library.recordPoll(at: time, now: true)
            #expect(try await report([contents], library).plans[0].lacks == [.nothingListed(songs: 0)])
        }
    }

    /// The folder's marks may be for any chart, so every plan with charts lacks them. Root may read everything, so here the folder
    /// is a link to itself.
    @Test @LoopActor func aFolderOfMarksThatCannotBeReadIsLackingInEveryPlan() async throws {
        let library = try Library(folder: home.path("data"))
        let contents = [plan("1", day: 1, charts: ["a"]), plan("2", day: 2, charts: ["b"]), plan("3", day: 3, charts: [])]
        try library.plans.update(contents, at: now)
        symlink("music", home.path("music"))
        let report = try await report(contents, library)
        let lack = ReadinessLack.marksUnseen(inFolder: home.path("music"))
        #expect(report.plans.map(\.lacks) == [[lack], [lack], [.nothingListed(songs: 0)]])
        #expect(report.markFolders.map(\.subject) == [home.path("music")] && report.otherMarkFolders.isEmpty, "once is enough")
    }

    /// Marks that cannot be drawn are reported with their files.
    @Test @LoopActor func filesWhoseMarksCannotBeDrawnAreNamed() async throws {
        let library = try Library(folder: home.path("data"))
        let contents = plan("1", day: 1, charts: ["a"])
        try library.plans.update([contents], at: now)
        let hash = try download("a", library, pages: 2)
        func file(_ name: String, page: Int) -> LocalFile {
            let mark = Mark(id: "m", page: PageIndex(page), kind: .pen, width: 0.01, points: [Mark.Point(x: 0.5, y: Double(page) / 4)])
            return LocalFile(
                path: home.path("music/" + name), stamp: .unknown, firstSeen: now, attachment: AttachmentID("a"),
                content: MarkFile(marks: [mark]))
        }
        try library.markFiles.store([file("first.xopp", page: 0), file("second.xopp", page: 1)])
        let marks = try #require(PageMarks.join(try library.drawings.visibleLayers(of: AttachmentID("a")))[PageIndex(1)])
        let cache = try PageCache(folder: home.path("cache"))
        for variant in [Variant.plain, .annotated] {
            let inputs = ImageInputs(
                renderer: renderer, chart: hash, chartNeedsFonts: false, page: PageIndex(1), variant: variant, settings: RenderSettings(),
                marks: variant == .plain ? nil : marks.digest)
            guard variant == .plain else {
                try library.images.setFault(
                    RenderFault(
                        chart: hash, image: ImageName(inputs), tag: renderer.tag, reason: "a bomb", tries: 2, isFinal: true, at: now))
                continue
            }
            let file = try cache.begin(ImageName(inputs))
            try SimulatedRenderer.png(for: inputs.key).withUnsafeBytes { try file.write($0) }
            try cache.publish(file, as: ImageName(inputs))
        }
        let lacks = try await report([contents], library).plans[0].charts[0].lacks
        #expect(
            lacks.contains(
                .marksCannotBeDrawn([PageIndex(1)], of: [home.path("music/second.xopp")], reason: "a bomb", chart: AttachmentID("a"))),
            "\(lacks)")
        #expect(!lacks.contains { if case .cannotBeDrawn = $0 { true } else { false } })
    }

    @Test @LoopActor func marksThatNobodyHasReadAreLacking() async throws {
        let library = try Library(folder: home.path("data"))
        let contents = plan("1", day: 1, charts: ["a", "b"])
        try library.plans.update([contents], at: now)
        _ = try download("a", library)
        #expect(try await report([contents], library).markFolders.map(\.subject) == [home.path("music")], "it is not there")
        let path = home.path("music/own.marks.json")
        try Folder.create(home.path("music"))
        try AtomicFile.write(MarkText.native("a", [MarkText.Dot(page: 0, x: 0.5)]), to: path)
        let unread = try await report([contents], library)
        #expect(unread.plans[0].charts[0].lacks.contains(.marksUnread(path: path, .new)) && unread.markFolders.isEmpty)
        #expect(unread.plans[0].charts[1].lacks == [.notDownloaded(because: nil)])
        #expect(unread.plans[0].lacks.isEmpty)
        // More files than a quick check opens: each may be for any chart.
        for number in 0..<60 { try AtomicFile.write("{}", to: home.path("music/\(number).marks.json")) }
        let quick = try await report([contents], library, isThorough: false)
        guard case .marksUnsorted(let count, _) = quick.plans[0].lacks.first else {
            Issue.record("\(quick.plans[0].lacks)")
            return
        }
        #expect(count > 1 && quick.plans[0].lacks[0].row.remedy == .work && !quick.plans[0].isReady)
    }

    /// One plan is only listed; the other was moved and has not been read since.
    @Test @LoopActor func plansThatCouldNotBeReadComeInTheirOrderAndAreLacking() async throws {
        let library = try Library(folder: home.path("data"))
        try library.plans.update(["1", "2"].map { plan($0, day: 3, charts: [$0]) }, at: now)
        let unread = [plan("2", day: 2, charts: []), plan("new", day: 1, charts: [])].map {
            UnreadPlan(plan: $0.plan, since: now, reason: "no answer")
        }
        try library.plans.update([], unread: unread, at: now)
        let wants = LibraryWants(library: library, render: RenderSettings(), ahead: .seconds(28 * 86_400))
        let plans = try await report(wants.listedPlans(now: now), library).plans
        #expect(plans.map(\.plan.id.text) == ["new", "2", "1"])
        let lack = ReadinessLack.unread(since: now, because: "no answer")
        #expect(plans.map(\.lacks) == [[lack], [lack], []] && lack.sentence.contains("could not be fetched"))
        #expect(plans.map(\.charts.count) == [0, 1, 1])
    }

    @Test @LoopActor func whatIsKnownOfMarksIsToldOfTheirChart() async throws {
        let library = try Library(folder: home.path("data"))
        try library.plans.update([plan("1", day: 1, charts: ["a"])], at: now)
        _ = try download("a", library)
        func marks(_ places: Range<Int>, page: Int = 0) -> [Mark] {
            places.map { Mark(id: "\($0)", page: PageIndex(page), kind: .pen, points: [Mark.Point(x: Double($0) / 16, y: 0.5)]) }
        }
        func file(_ name: String, in folder: String = "music", _ content: MarkFile, for chart: String? = "a") throws -> LocalFile {
            let path = home.path("\(folder)/\(name)")
            try AtomicFile.write("as it was read", to: path)
            return LocalFile(
                path: path, stamp: try #require(FileStamp(ofFile: path)), firstSeen: now, attachment: chart.map { AttachmentID($0) },
                content: content)
        }
        func layer(_ id: String, _ revision: Int, _ places: Range<Int>) -> Layer {
            Layer(id: LayerID(id), attachment: AttachmentID("a"), revision: revision, marks: marks(places))
        }
        for folder in ["music", "Sets"] { try Folder.create(home.path(folder)) }
        var odd = MarkFile(marks: marks(10..<11))
        odd.notes = ["strokes without points left out: 1 (page 1)"]
        try library.markFiles.store([
            file("x.xopp", MarkFile(marks: marks(0..<4))), file("x (copy).xopp", MarkFile(marks: marks(1..<5))), file("odd.xopp", odd),
            file("far.xopp", MarkFile(marks: marks(0..<1, page: 7))),
            file("u.xopp", MarkFile(reference: MarkFile.Reference(attachment: AttachmentID("999")), marks: marks(0..<1)), for: nil),
            // No plan has the chart beside which this is.
            file("v.xopp", in: "Sets", MarkFile(reference: MarkFile.Reference(pdf: "v.pdf"), marks: marks(0..<1)), for: nil),
        ])
        for layers in [[layer("l", 2, 0..<2), layer("m", 1, 0..<1)], [layer("l", 1, 0..<1)]] {
            try library.layers.update(layers: layers, of: PlanID("1"), at: now)
        }
        let found = try await report(library.plans.all(), library)
        let chart = found.plans[0].charts[0]
        #expect(Set(chart.lacks.map(\.name)).isSuperset(of: ["layer-doubted", "marks-in-copy"]), "\(chart.lacks)")
        #expect(Set(chart.notes.map(\.name)).isSuperset(of: ["layers-gone", "marks-left-out", "marks-beyond"]), "\(chart.notes)")
        #expect(found.unmatchedMarks.map(\.names) == ["the chart 999"] && found.marksBeyond.count == 1)
        #expect(found.unseenMarks == found.unmatchedMarks.map(\.sentence), "what a chart of a plan lacks is told there only")
        #expect(try await report([], library).unseenMarks.count == 2)
        // A file saved since then may no longer have such marks.
        try AtomicFile.write("{}", to: home.path("music/far.xopp"))
        #expect(try await report([], library).marksBeyond.isEmpty)
    }

    @Test func fewOfManyThatNobodySeesAreNamed() {
        let unmatched = (0..<8).map { ReadinessReport.UnmatchedMarks(path: "/m/\($0)", names: nil) }
        let told = ReadinessReport(asOf: now, lastPoll: nil, isThorough: true, plans: [], unmatchedMarks: unmatched).unseenMarks
        #expect(told == unmatched.prefix(5).map(\.sentence) + ["your marks, for no chart here: 3 more files"])
    }

    @Test func pollFromTheFutureHasNoAge() {
        func age(_ poll: Timestamp?) -> Duration? { ReadinessReport(asOf: now, lastPoll: poll, isThorough: true, plans: []).age }
        #expect(age(nil) == nil && age(now - .seconds(9)) == .seconds(9))
        #expect(age(now + .seconds(9)) == .zero && age(now + .seconds(900)) == nil)
    }

    /// For example, a new music folder has no links for a plan if the plan's folder there cannot be read.
    @Test @LoopActor func aPlansFolderThatCannotBeReadCountsWhetherItHasLinksOrNot() throws {
        let library = try Library(folder: home.path("data"))
        defer { library.close() }
        try library.plans.update([plan("1", day: 1, charts: ["a"]), plan("2", day: 2, charts: ["b"])], at: now)
        for chart in ["a", "b"] { _ = try download(chart, library) }
        let made = try library.linkCharts(into: home.path("music")).made.sorted()
        let folder = home.path("other/" + String(try #require(Folder.parent(of: made[0]).split(separator: "/").last)))
        let found = try UnreadableFolders([folder, home.path("other/inner")], in: MarkRoots([home.path("other")]), library, knowing: [])
        #expect(found.folders == [AttachmentID("a"): [folder]] && found.whole.isEmpty)
    }
}
