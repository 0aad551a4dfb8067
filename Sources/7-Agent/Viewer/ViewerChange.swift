import JSON
import LocalHTTP
import Model
import Platform
import Sets

/// A change requested by a page.
enum ViewerChange: Sendable {
    case look(PlanID?)
    case select(ViewerPageChoice)
    case layer(LayerID, isVisible: Bool, chart: AttachmentID, plan: PlanID?, item: ItemID?)
    /// Read a song in another form, in this plan or everywhere. Without a view, the song is read in its usual form.
    case song(SongID, SongView?, isEverywhere: Bool, plan: PlanID, item: ItemID?)
    /// Share the musician's marks on a chart with the band, or stop sharing them.
    case share(AttachmentID, isShared: Bool, plan: PlanID?, item: ItemID?)
    /// An answer about marks on this version of a chart that were made on another version.
    case olderMarks(AttachmentID, of: ChartHash, OlderMarksAnswer, plan: PlanID?, item: ItemID?)
    /// Put the middle of a mark that was made on another version at this place, or leave the mark out.
    case place(String, LayerID, AttachmentID, of: ChartHash, at: (page: PageIndex, x: Double, y: Double)?, plan: PlanID?, item: ItemID?)
    /// Write a list of songs to its file.
    case set(SetDraft)
    case tonight(TonightRequest)
    case seen(PlanID)
    /// Accept the plan, in the service's version or as it is, if that is still the version that the musician saw.
    case accept(PlanID, of: String)
    /// Use a chart as it is here and as this plan shows it, if the doubts about it are still those that the musician saw.
    case acceptChart(AttachmentID, in: PlanID?, of: String)
    case sync
    case damaged(ImageName)

    /// The paths of all changes.
    static let names: Set<String> = [
        "/api/look", "/api/select", "/api/layers", "/api/song", "/api/share", "/api/older", "/api/seen", "/api/accept", "/api/sync",
        "/api/damaged", "/api/set", "/api/tonight", "/api/place",
    ]

    /// Reads a change; `nil` if the request is malformed.
    init?(_ request: WebRequest) {
        if request.path == "/api/damaged" {
            guard let report = try? JSONReader.decode(DamageReport.self, from: request.body), let name = report.image else {
                return nil
            }
            self = .damaged(name)
            return
        }
        if request.path == "/api/set" {
            guard let draft = SetDraft(request.body) else { return nil }
            self = .set(draft)
            return
        }
        if request.path == "/api/tonight" {
            guard let wanted = TonightRequest(request.body) else { return nil }
            self = .tonight(wanted)
            return
        }
        guard let body = try? JSONReader.decode(Body.self, from: request.body) else { return nil }
        switch request.path {
        case "/api/look": self = .look(body.plan)
        case "/api/select":
            guard let chart = body.chart, let page = body.page, (0...PageIndex.greatest).contains(page.value),
                let isMarked = body.marked
            else { return nil }
            self = .select(ViewerPageChoice(chart: chart, plan: body.plan, item: body.item, page: page, isMarked: isMarked))
        case "/api/layers":
            guard let chart = body.chart, let layer = body.layer, let isVisible = body.visible else { return nil }
            self = .layer(layer, isVisible: isVisible, chart: chart, plan: body.plan, item: body.item)
        case "/api/song":
            guard let song = body.song, let plan = body.plan else { return nil }
            let view = body.view
            guard view.map({ SongView.frets.contains($0.capo) }) ?? true else { return nil }
            self = .song(song, view, isEverywhere: body.everywhere ?? false, plan: plan, item: body.item)
        case "/api/share":
            guard let chart = body.chart, let isShared = body.shared else { return nil }
            self = .share(chart, isShared: isShared, plan: body.plan, item: body.item)
        case "/api/older":
            guard let chart = body.chart, let hash = body.hash, let answer = body.answer else { return nil }
            self = .olderMarks(chart, of: hash, answer, plan: body.plan, item: body.item)
        case "/api/place":
            guard let chart = body.chart, let hash = body.hash, let layer = body.layer, let mark = body.id else { return nil }
            guard body.out == true || body.place != nil else { return nil }
            let place = body.out == true ? nil : body.place
            self = .place(mark, layer, chart, of: hash, at: place, plan: body.plan, item: body.item)
        case "/api/seen":
            guard let plan = body.plan else { return nil }
            self = .seen(plan)
        case "/api/accept":
            guard let tag = body.of else { return nil }
            if let chart = body.chart {
                self = .acceptChart(chart, in: body.plan, of: tag)
            } else if let plan = body.plan {
                self = .accept(plan, of: tag)
            } else {
                return nil
            }
        case "/api/sync": self = .sync
        default: return nil
        }
    }

    /// An image, given by its name or by its address in the viewer.
    private struct DamageReport: Decodable {
        var name: String?
        var page: String?

        var image: ImageName? {
            guard let text = name ?? page.flatMap({ $0.hasPrefix("/pages/") ? String($0.dropFirst("/pages/".count)) : nil }) else {
                return nil
            }
            let parts = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map { String(Substring($0)) }
            return parts.count == 2 ? ImageName(folder: parts[0], file: parts[1]) : nil
        }
    }

    private struct Body: Decodable {
        var plan: PlanID?
        var chart: AttachmentID?
        var item: ItemID?
        var page: PageIndex?
        var marked: Bool?
        var layer: LayerID?
        var visible: Bool?
        var shared: Bool?
        var of: String?
        var right: Bool?
        var state: String?
        var id: String?
        var x: Double?
        var y: Double?
        var out: Bool?
        var song: SongID?
        var view: SongView?
        var everywhere: Bool?

        var hash: ChartHash? { of.flatMap(Digest.init(hex:)).map { ChartHash($0) } }

        var answer: OlderMarksAnswer? {
            if let right { return right ? .right : .hide }
            switch state {
            case "were": return .were
            case "moved": return .moved
            default: return nil
            }
        }

        var place: (page: PageIndex, x: Double, y: Double)? {
            guard let page, (0...PageIndex.greatest).contains(page.value), let x, let y else { return nil }
            guard (0...1).contains(x), (0...1).contains(y) else { return nil }
            return (page: page, x: x, y: y)
        }
    }
}

extension ViewerChange {
    /// Makes the change, and answers with the result.
    @LoopActor
    func make(at source: any ViewerSource) async throws(Trouble) -> WebReply {
        switch self {
        case .look(let plan): source.noteOpen(plan: plan)
        case .select(let choice): return try await Self.select(choice, at: source)
        case .layer(let layer, let isVisible, let chart, let plan, let item):
            try await source.setLayer(layer, isVisible: isVisible, of: chart)
            return .json(try await source.chart(chart, in: plan, item: item).json)
        case .song(let song, let view, let isEverywhere, let plan, let item):
            let shown = try await source.read(song, as: view, in: plan, item: item, isEverywhere: isEverywhere)
            do throws(Trouble) {
                return .json(try await source.chart(shown, in: plan, item: item).json)
            } catch  where view == nil {
                // The choice is taken back, but the plan's chart of the song is not here.
                return .json(["chart": .null])
            }
        case .share(let chart, let isShared, let plan, let item):
            try await source.share(isShared, chart)
            return .json(try await source.chart(chart, in: plan, item: item).json)
        case .olderMarks(let chart, let hash, let answer, let plan, let item):
            try await source.settleOlderMarks(on: chart, of: hash, answer)
            return .json(try await source.chart(chart, in: plan, item: item).json)
        case .place(let mark, let layer, let chart, let hash, let place, let plan, let item):
            try await source.place(mark, of: layer, on: chart, of: hash, at: place)
            return .json(try await source.chart(chart, in: plan, item: item).json)
        case .set(let draft): return try await source.write(draft).reply
        case .tonight(let request):
            try await source.change(request)
            return .json(try await source.plan(request.plan).contents)
        case .seen(let plan): try await source.noteSeen(plan)
        case .accept(let plan, let tag): try await source.accept(plan, of: tag)
        case .acceptChart(let chart, let plan, let tag): try await source.accept(chart, in: plan, of: tag)
        case .sync: source.sync()
        case .damaged(let name): return .json(["damaged": .boolean(try await source.checkDamage(of: name))])
        }
        return .json(.object([]))
    }

    /// Selects a page. If a later choice has overtaken this one, the answer is not a refusal, which browsers would log as an error:
    /// the musician only turned the page before its image was ready.
    @LoopActor
    private static func select(_ choice: ViewerPageChoice, at source: any ViewerSource) async throws(Trouble) -> WebReply {
        do throws(Trouble) {
            return .json(["src": .text(try await source.select(choice).address)])
        } catch  where error.kind == .overtaken {
            return .json(["overtaken": .boolean(true)])
        }
    }
}
