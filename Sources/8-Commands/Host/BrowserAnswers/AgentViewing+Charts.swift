import Agent
import Catalogue
import ChartFiles
import Exporting
import Freshness
import Glibc
import LayerJoin
import Library
import Marks
import Model
import Platform
import Readiness
import Viewer

extension AgentViewing {
    func chart(_ id: AttachmentID, in plan: PlanID?, item: ItemID?) async throws(Trouble) -> ViewerChart {
        let changes = news.changes
        let chart = try await read(id, in: plan, item: item)
        news.watch(chart, in: plan, item: item, readAt: changes)
        lookForPlaces(in: chart)
        return chart
    }

    /// Reads the chart's present state. Unlike `chart`, this does not begin to watch it for news.
    func read(_ id: AttachmentID, in plan: PlanID?, item: ItemID?) async throws(Trouble) -> ViewerChart {
        let plans = try reading { () throws(LibraryError) in try library.plans.showing(id) }
        guard let place = ChartPlace(of: id, in: plan, item: item, of: plans, now: now) else { throw .unknownChart }
        // Read the ink's state before the images are named. The images may then show more marks than `ink` states, but never fewer.
        let ink = try reading { () throws(LibraryError) in try library.parts.states(of: id) }
        let outlook = try await agent.outlook(of: place.attachment)
        guard !outlook.pages.isEmpty, let hash = outlook.report.hash else {
            throw Trouble(outlook.report.lacks.first?.sentence.asSentence ?? "This chart has no pages.")
        }
        return try reading { () throws(LibraryError) in
            var chart = ViewerChart(
                place.attachment, at: place.item, hash: hash, outlook: outlook, layers: try layers(of: id, as: hash), ink: ink,
                isShared: try isShared(id), chords: try library.charts.printedKey(of: hash),
                inKeys: try library.drawings.drawnInKeys(of: id)?.shortHex, song: try song(of: place.item, in: place.plan),
                next: try neighbour(place.after),
                previous: try neighbour(place.before))
            chart.places = try places(of: chart, in: library.charts.key(of: hash))
            chart.moved = try library.olderMarks.movedMarks(on: id, of: hash)
            return chart
        }
    }

    /// The states of those parts of a chart's own layer that are drawn on the chart; nil if the library fails.
    func states(of chart: AttachmentID) -> PartStates? { try? library.parts.states(of: chart) }

    /// The digest of the marks that appear on a chart in some keys only; nil if there are none or the library fails.
    func inKeys(of chart: AttachmentID) -> String? { (try? library.drawings.drawnInKeys(of: chart))?.shortHex }

    func select(_ page: ViewerPageChoice) async throws(Trouble) -> ChartOutlook.Image {
        let use = try use(of: page)
        return ChartOutlook.Image(try await agent.showing.select(chart: page.chart, page: page.page, isMarked: page.isMarked, use: use))
    }

    /// Which of an attachment's charts the viewer shows. Nil if there is only one: then the plans are not read, which would delay the page.
    private func use(of page: ViewerPageChoice) throws(Trouble) -> ChartUse? {
        try reading { () throws(LibraryError) in
            guard try library.charts.all(of: page.chart).count > 1 else { return nil }
            return ChartPlace(of: page.chart, in: page.plan, item: page.item, of: try library.plans.showing(page.chart), now: now)?
                .attachment.use
        }
    }

    func image(_ name: ImageName) async throws(Trouble) -> ViewerImageBytes {
        .bytes(try await agent.showing.image(named: name).bytes)
    }

    func live(
        _ page: ViewerPageChoice, in folder: ImageFolder, longSide: Int, for viewer: String
    ) async throws(Trouble) -> ViewerImageBytes {
        let shown = try await agent.showing.live(
            chart: page.chart, in: folder, page: page.page, isMarked: page.isMarked, longSide: longSide, for: viewer)
        return .bytes(shown.bytes)
    }

    func pdf(of place: ViewerPDFPlace) async throws(Trouble) -> ViewerPDF {
        let name: String
        let made: Agent.MadePDF?
        do {
            switch place {
            case .plan(let id):
                let contents = try contents(of: id)
                name = PDFName.title(of: contents.plan)
                made = try await agent.pdf(of: contents)
            case .chart(let id, let plan):
                let plans = try library.plans.showing(id)
                guard let attachment = ChartPlace(of: id, in: plan, item: nil, of: plans, now: now)?.attachment else {
                    throw Trouble.unknownChart
                }
                name = attachment.displayName
                made = try await agent.pdf(of: attachment)
            }
        } catch let refusal as Trouble {
            throw refusal
        } catch let failure as ExportFailure {
            throw Trouble("\(failure)".asSentence)
        } catch {
            throw Trouble("The PDF could not be made: \(error).")
        }
        guard let made else { throw Trouble("The chart is not here yet.") }
        // The file is removed when `made` is released, but stays readable through an open descriptor.
        let descriptor = fcntl(made.file.descriptor, F_DUPFD_CLOEXEC, 0)
        guard descriptor >= 0 else { throw Trouble("The PDF could not be opened: \(SystemError("open")).") }
        // The names of charts that the PDF lacks go into an HTTP header, which must be short, so name only the first six.
        let named = made.leftOut.prefix(6).map { String($0.prefix(80)) }
        let more = made.leftOut.count > named.count ? ["\(made.leftOut.count - named.count) more"] : []
        return ViewerPDF(
            name: FileName.portable(name) + ".pdf", descriptor: descriptor, size: made.bytes,
            lacks: (named + more).joined(separator: ", "))
    }

    func setLayer(_ layer: LayerID, isVisible: Bool, of chart: AttachmentID) async throws(Trouble) {
        let isChanged = try reading { () throws(LibraryError) -> Bool? in
            guard try layers(of: chart).contains(where: { $0.id == layer }) else { return nil }
            return try library.drawings.setHidden(!isVisible, layer: layer, of: chart)
        }
        guard let isChanged else { throw .unknownLayer }
        if isChanged { agent.reconcile() }
    }

    func settleOlderMarks(on chart: AttachmentID, of hash: ChartHash, _ answer: OlderMarksAnswer) async throws(Trouble) {
        let isOfThat = try reading { () throws(LibraryError) in try library.olderMarks.settleMarks(on: chart, of: hash, answer) }
        guard isOfThat else { throw .changedMeanwhile }
        agent.reconcile()
        news.receive(.reconciled(changed: [chart]))
    }

    func place(
        _ mark: String, of layer: LayerID, on chart: AttachmentID, of hash: ChartHash, at place: (page: PageIndex, x: Double, y: Double)?
    ) async throws(Trouble) {
        // The edit comes first: once it is written, the place is known whatever happens next, also to the musician's other machines.
        let wanted = try reading { () throws(LibraryError) -> FollowedMark? in
            guard let place else { return nil }
            return try library.olderMarks.wantedPlace(mark, of: layer, on: chart, of: hash, at: place)
        }
        var edit: MarkReading?
        if let wanted { edit = try await settleInk(mark, at: wanted, on: chart, of: hash) }
        let isPlaced = try reading { () throws(LibraryError) in
            try library.olderMarks.place(mark, of: layer, on: chart, of: hash, at: place)
        }
        if let edit { agent.receive(edit) }
        guard let isPlaced else { throw .changedMeanwhile }
        guard isPlaced || edit != nil else { throw Trouble(.unknown, "There is no such mark to place on this chart.") }
        agent.reconcile()
        news.receive(.reconciled(changed: [chart]))
    }

    /// Everybody's layers on a chart with these bytes, including the layers from the musician's own files.
    private func layers(of chart: AttachmentID, as hash: ChartHash? = nil) throws(LibraryError) -> [ViewerLayer] {
        let hidden = try library.drawings.hiddenLayers(of: chart)
        let older = try library.olderMarks.outdatedMarks(of: chart).filter { $0.chart == hash }
        let parts = older.isEmpty ? [] : try library.parts.layers(of: chart)
        return try library.drawings.layerHeads(of: chart).map { layer, pages throws(LibraryError) in
            // The first part represents all parts of the own layer.
            let here = parts.contains(layer.id) ? parts : [layer.id]
            return ViewerLayer(
                id: layer.id, name: layer.name, person: layer.personName.isEmpty ? nil : layer.personName,
                isVisible: !hidden.contains(layer.id), pages: pages.sorted(),
                olderPages: Set(older.filter { here.contains($0.layer) }.flatMap(\.pages)).sorted(), shared: try shared(layer.id))
        }
    }

    /// The nearest neighbour that has pages to show: on stage, a chart without pages would be a dead end.
    private func neighbour(_ places: [ViewerChart.Neighbour]) throws(LibraryError) -> ViewerChart.Neighbour? {
        for place in places {
            guard let chart = try library.charts.chart(of: place.chart), try agent.canShow(chart.hash),
                try library.charts.description(of: chart.hash) != nil
            else { continue }
            return place
        }
        return nil
    }
}

extension ChartOutlook.Image {
    fileprivate init(_ page: ShownPage) {
        // A PNG's header contains its width and height as numbers of four bytes.
        func number(at offset: Int) -> Int { page.bytes.dropFirst(offset).prefix(4).reduce(0) { $0 << 8 | Int($1) } }
        self.init(name: page.name, width: number(at: 16), height: number(at: 20), isHere: true)
    }
}

/// The position of a chart in a running order.
struct ChartPlace: Hashable {
    let plan: PlanID
    let attachment: Attachment
    let item: PlanItem
    /// The charts before and after this one, nearest first; empty if no plan was given.
    let before: [ViewerChart.Neighbour]
    let after: [ViewerChart.Neighbour]

    /// Finds a chart in the given plan, preferably at the given item. Without a plan, finds the chart in the next coming plan
    /// that contains it, otherwise in the latest past one. Nil if no plan does.
    init?(of chart: AttachmentID, in plan: PlanID?, item: ItemID?, of plans: [PlanContents], now: Timestamp) {
        let wanted = plans.filter { plan == nil || $0.plan.id == plan }
        let coming = wanted.filter { !$0.plan.isPast(at: now) }.sorted { $0.plan.comesBefore($1.plan) }
        let past = wanted.filter { $0.plan.isPast(at: now) }.sorted { $1.plan.comesBefore($0.plan) }
        for contents in coming + past {
            let all = contents.items.flatMap { item in item.attachments.map { (item: item, attachment: $0) } }
            let places = all.indices.filter { all[$0].attachment.id == chart }
            guard let place = places.first(where: { all[$0].item.id == item }) ?? places.first else { continue }
            let neighbours = all.map { ViewerChart.Neighbour(chart: $0.attachment.id, item: $0.item.id, title: $0.item.title) }
            self.plan = contents.plan.id
            attachment = all[place].attachment
            self.item = all[place].item
            before = plan == nil ? [] : neighbours[..<place].reversed()
            after = plan == nil ? [] : Array(neighbours[(place + 1)...])
            return
        }
        return nil
    }
}

extension Trouble {
    init(_ error: LibraryError) {
        if case .unknownPlan = error { self = .unknownPlan } else { self.init("\(error)") }
    }

    static let unknownPlan = Trouble(.unknown, "There is no such plan here.")
    static let unknownChart = Trouble(.unknown, "There is no such chart here.")
    static let changedMeanwhile = Trouble(.gone, "This chart has changed in the meantime.")
    static let unknownLayer = Trouble(.unknown, "There are no such marks on this chart.")
}
