import Band
import Glibc
import Model
import Platform
import Sets
import Synchronization
import Viewer

@testable import Readiness

/// Two plans in the form in which an agent has them. The source records the requests that it receives.
@LoopActor
final class FakeSource: ViewerSource {
    nonisolated static let hash = ChartHash(SHA256.digest(of: "chart"))
    nonisolated static let missing = name(1, .plain)

    var title = "Abide with Me"
    /// The band's reports; nil if there is no band.
    var band: BandReadiness?
    var offers: [OfferedTonight]?
    var isShared: Bool?
    var shared: [ViewerLayer] = []
    private(set) var looked: [PlanID?] = []
    private(set) var selected: [ViewerPageChoice] = []
    private(set) var hidden: Set<LayerID> = []
    private(set) var settled: [OlderMarksAnswer] = []
    private(set) var placed: [String] = []
    private(set) var seen: [PlanID] = []
    private(set) var accepted: [String] = []
    private(set) var syncs = 0
    private(set) var asked: [ImageName] = []
    private(set) var reported: [ImageName] = []
    private(set) var lives: [(page: ViewerPageChoice, longSide: Int)] = []
    private(set) var pdfs: [ViewerPDFPlace] = []
    /// The requested ways to show songs.
    private(set) var read: [(song: SongID, view: SongView?, plan: PlanID?)] = []
    private(set) var ink: [[UInt8]] = []
    private var inkFault: Trouble?
    /// The lists of songs that were to be written.
    private(set) var drafts: [SetDraft] = []
    private(set) var viewers: [String] = []
    private(set) var isLookedAt = false
    private var news: (@LoopActor (ViewerNews) -> Void)?

    nonisolated init() {}

    var hasNewsHandler: Bool { news != nil }
    func publish(_ event: ViewerNews) { news?(event) }

    /// The name of an image of the chart.
    nonisolated static func name(_ page: Int, _ variant: Variant) -> ImageName {
        let key = SHA256.digest(of: "\(page) \(variant)").shortHex
        return ImageName(folder: ImageName.folder(of: hash), file: "\(page)-\(variant.rawValue)-\(key).png")!
    }

    nonisolated static func image(_ page: Int, _ variant: Variant, isHere: Bool = true) -> ChartOutlook.Image {
        let music = PageMusic(bands: [.init(from: 0, to: 500, kind: .inner), .init(from: 4000, to: 4500, kind: .system)], slant: -52)
        return ChartOutlook.Image(
            name: Self.name(page, variant), width: variant == .thumbnail ? 247 : 2110, height: 320, isHere: isHere,
            ink: variant == .thumbnail
                ? nil : InkBox(columns: 211..<1899, rows: 16..<320, width: 2110, height: 320).map { PageInk(all: $0, music: music) })
    }

    /// Two pages. The first has marks; only the second has all its images.
    nonisolated static func outlook() -> ChartOutlook {
        var pages = (0..<2).map {
            ChartOutlook.Page(
                index: PageIndex($0), geometry: PageGeometry(width: 595, height: 842), plain: image($0, .plain),
                annotated: image($0, $0 == 0 ? .annotated : .plain), thumbnail: image($0, .thumbnail, isHere: $0 == 1))
        }
        pages[0].thumbnail.former = name(0, .plain)
        let report = ReadinessReport.Chart(
            attachment: AttachmentID("a1"), filename: "Chart.pdf", item: "", hash: hash, pages: 2, wanted: 5, present: 4,
            lacks: [.notRendered([PageIndex(0)], images: 1)])
        return ChartOutlook(report: report, pages: pages, order: [PageIndex(0), PageIndex(1)])
    }

    private nonisolated static let attachment = Attachment(id: AttachmentID("a1"), filename: "Chart.pdf")
    private var item: PlanItem {
        PlanItem(
            id: ItemID("i1"), sequence: 0, title: title, keyName: "D", attachments: [Self.attachment], kind: "song", tempo: 76,
            length: 240)
    }

    private var plan: ViewerPlan {
        let plan = Plan(
            id: PlanID("p1"), serviceType: ServiceTypeID("s"), serviceTypeName: "Sunday", title: title, dates: "22 November",
            firstTime: Timestamp("2026-11-22T09:00:00Z"))
        let chart = Self.outlook()
        var shown = ViewerPlan(
            PlanOutlook(
                contents: PlanContents(plan: plan, items: [item]),
                report: ReadinessReport.Plan(plan: plan, isPinned: true, charts: [chart.report]), charts: [Self.attachment.use: chart]),
            changes: ["new song"], band: band)
        shown.offers = offers
        return shown
    }

    func state() async throws(Trouble) -> ViewerState {
        ViewerState(now: Timestamp("2026-11-21T09:00:00Z")!, status: ViewerStatus(), plans: [plan])
    }

    func open(file id: AttachmentID) async throws(Trouble) -> AttachmentID { throw Trouble(.gone, "This file is not there any more.") }

    nonisolated static let list = SetListFile(
        name: "2026-12-06 Advent", SetList("# softly\nGrace (G, capo 2)\n\nAbide\n"), digest: SHA256.digest(of: "list"))

    func list(of plan: PlanID) async throws(Trouble) -> SetListFile {
        guard plan.text == "set/2026-12-06.txt" else { throw Trouble(.unknown, "This plan is no list.") }
        return Self.list
    }

    func write(_ draft: SetDraft) async throws(Trouble) -> SetDraft.Outcome {
        drafts.append(draft)
        if case .plan(_, let digest) = draft.place, digest != Self.list.digest { return .changed(Self.list) }
        return .written(name: Self.list.name, isListed: true)
    }

    func others() async throws(Trouble) -> (charts: [ViewerOtherChart], songs: [ViewerBookSong]) {
        ([ViewerOtherChart(Self.attachment, at: item, of: plan.outlook.contents.plan)], songs)
    }

    var songs: [ViewerBookSong] = []
    var places = ChartPlaces()

    func plan(_ id: PlanID) async throws(Trouble) -> ViewerPlan {
        guard id.text == "p1" || id.text == "p/../1" else { throw Trouble(.unknown, "There is no plan \(id).") }
        return plan
    }

    func chart(_ id: AttachmentID, in plan: PlanID?, item: ItemID?) async throws(Trouble) -> ViewerChart {
        guard id.text == "a1" else { throw Trouble(.unknown, "There is no chart \(id).") }
        let layer = LayerID("l1")
        var chart = ViewerChart(
            Self.attachment, at: self.item, hash: Self.hash, outlook: Self.outlook(),
            layers: [ViewerLayer(id: layer, name: "Mine", person: "Ann", isVisible: !hidden.contains(layer), pages: [PageIndex(0)])]
                + shared,
            isShared: isShared, next: item.map { ViewerChart.Neighbour(chart: AttachmentID("a2"), item: $0, title: plan?.text ?? "") })
        chart.places = places
        return chart
    }

    func chart(_ id: AttachmentID, in plan: PlanID, item: ItemID?, as key: String) async throws(Trouble) -> ViewerChart {
        var chart = try await chart(id, in: plan, item: item)
        chart.item.keyName = key
        return chart
    }

    func noteOpen(plan: PlanID?) { looked.append(plan) }

    func select(_ page: ViewerPageChoice) async throws(Trouble) -> ChartOutlook.Image {
        selected.append(page)
        guard page.page.value < 2 else { throw Trouble(.overtaken, "Another page was opened.") }
        return Self.image(page.page.value, page.isMarked ? .annotated : .plain)
    }

    func setLayer(_ layer: LayerID, isVisible: Bool, of chart: AttachmentID) async throws(Trouble) {
        guard layer.text == "l1" else { throw Trouble(.unknown, "There is no layer \(layer).") }
        if isVisible { hidden.remove(layer) } else { hidden.insert(layer) }
    }

    func read(
        _ song: SongID, as view: SongView?, in plan: PlanID, item: ItemID?, isEverywhere: Bool
    ) async throws(Trouble) -> AttachmentID {
        read.append((song, view, isEverywhere ? nil : plan))
        return item == ItemID("hymn") ? AttachmentID("a1") : AttachmentID(drawnFrom: song)
    }

    func share(_ isShared: Bool, _ chart: AttachmentID) async throws(Trouble) {
        guard chart.text == "a1" else { throw Trouble(.unknown, "There is no chart \(chart).") }
        guard self.isShared != nil else { throw Trouble("You play in no band.") }
        self.isShared = isShared
    }

    func settleOlderMarks(on chart: AttachmentID, of hash: ChartHash, _ answer: OlderMarksAnswer) async throws(Trouble) {
        guard hash == Self.hash else { throw Trouble(.gone, "The chart has changed.") }
        settled.append(answer)
    }

    func place(
        _ mark: String, of layer: LayerID, on chart: AttachmentID, of hash: ChartHash, at place: (page: PageIndex, x: Double, y: Double)?
    ) async throws(Trouble) {
        guard hash == Self.hash else { throw Trouble(.gone, "The chart has changed.") }
        placed.append("\(layer) \(mark) " + (place.map { "\($0.page.value) \($0.x) \($0.y)" } ?? "out"))
    }

    func ink(of chart: AttachmentID, known tag: String?) async throws(Trouble) -> [UInt8] {
        guard chart.text == "a1" || chart.text == "a/ink" else { throw Trouble(.unknown, "There is no chart \(chart).") }
        return Array("{\"revision\":\(ink.count),\"marks\":[]}".utf8)
    }

    /// Refuses all edits from now on, with this trouble.
    func refuse(_ refusal: Trouble) { inkFault = refusal }

    func keepInk(_ request: [UInt8], of chart: AttachmentID, known tag: String?) async throws(Trouble) -> [UInt8] {
        if let inkFault { throw inkFault }
        ink.append(request)
        return try await self.ink(of: chart, known: tag)
    }

    /// The changes of tonight's set that were requested; a change of a set with another number is refused.
    private(set) var tonight: [TonightRequest] = []

    func change(_ request: TonightRequest) async throws(Trouble) {
        guard request.number == tonight.count else { throw Trouble(.overtaken, "Somebody changed tonight’s set.") }
        tonight.append(request)
    }

    func noteSeen(_ plan: PlanID) async throws(Trouble) { seen.append(plan) }

    func accept(_ plan: PlanID, of tag: String) async throws(Trouble) { accepted.append("\(plan) \(tag)") }
    func accept(_ chart: AttachmentID, in plan: PlanID?, of tag: String) async throws(Trouble) {
        accepted.append("\(chart) \(plan?.text ?? "") \(tag)")
    }

    func sync() { syncs += 1 }

    func checkDamage(of name: ImageName) async throws(Trouble) -> Bool {
        reported.append(name)
        return name == Self.name(0, .plain)
    }

    func image(_ name: ImageName) async throws(Trouble) -> ViewerImageBytes {
        asked.append(name)
        guard name == Self.missing else { throw Trouble(.gone, "The marks have changed.") }
        return .bytes(Array("made now".utf8))
    }

    func live(
        _ page: ViewerPageChoice, in folder: ImageFolder, longSide: Int, for viewer: String
    ) async throws(Trouble) -> ViewerImageBytes {
        lives.append((page, longSide))
        viewers.append(viewer)
        guard folder == ImageFolder(of: Self.hash) else { throw Trouble(.gone, "The chart has changed.") }
        guard page.page.value < 2 else { throw Trouble("This page cannot be drawn.") }
        return .bytes(Array("live \(longSide)".utf8))
    }

    func pdf(of place: ViewerPDFPlace) async throws(Trouble) -> ViewerPDF {
        pdfs.append(place)
        guard place == .plan(PlanID("p1")) || place == .chart(AttachmentID("a/1"), in: PlanID("p1")) else {
            throw Trouble("None of its charts can be exported.")
        }
        guard case .file(let descriptor, let size)? = FakeImages().image(Self.name(0, .annotated)) else { fatalError("no file") }
        return ViewerPDF(name: "Größe 1.pdf", descriptor: descriptor, size: size, lacks: "Song b.pdf")
    }

    /// Who leads those who turn together.
    var together: ViewerNews?
    /// What browsers asked of those who turn together, with the browsers' names.
    private(set) var wishes: [(wish: Together.Wish, name: String)] = []

    func turn(_ wish: Together.Wish, from browser: String, named name: String) async throws(Trouble) { wishes.append((wish, name)) }

    /// The last word of another agent, and what is answered to all of them.
    private(set) var received: TogetherWord?
    var better: TogetherWord?

    func receive(_ word: TogetherWord) async throws(Trouble) -> TogetherWord? {
        received = word
        return better
    }

    func setNewsHandler(_ handler: (@LoopActor (ViewerNews) -> Void)?) { news = handler }
    func setLookedAt(_ isLookedAt: Bool) { self.isLookedAt = isLookedAt }
}

/// Only two images: the plain image of page 0 as bytes, and the annotated image of page 0 as a file.
struct FakeImages: ViewerImages {
    static let bytes: [UInt8] = (0..<500_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }

    func image(_ name: ImageName) -> ViewerImageBytes? {
        switch name {
        case FakeSource.name(0, .plain): return .bytes(Self.bytes)
        case FakeSource.name(0, .annotated):
            var template = Array("/tmp/woodshed-test-page-XXXXXX".utf8CString)
            let file = mkstemp(&template)
            unlink(template)
            _ = Self.bytes.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
            return .file(descriptor: file, size: Self.bytes.count)
        default: return nil
        }
    }
}
