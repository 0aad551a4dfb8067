import Agent
import Library
import Model
import Platform
import Readiness
import Viewer

extension AgentViewing {
    func chart(_ id: AttachmentID, in plan: PlanID?, item: ItemID?) async throws(ViewerRefusal) -> ViewerChart {
        let chart = try await read(id, in: plan, item: item)
        news.watch(chart, in: plan, item: item)
        return chart
    }

    /// A chart as it is right now.
    func read(_ id: AttachmentID, in plan: PlanID?, item: ItemID?) async throws(ViewerRefusal) -> ViewerChart {
        let plans = try reading { () throws(LibraryError) in try library.plans.all() }
        guard let place = ChartPlace(of: id, in: plan, item: item, of: plans, now: now) else { throw .unknownChart }
        let outlook: ChartOutlook
        do throws(ShowFailure) {
            outlook = try await agent.outlook(of: place.attachment)
        } catch {
            throw ViewerRefusal(error)
        }
        guard !outlook.pages.isEmpty, let hash = outlook.report.hash else {
            throw ViewerRefusal(.unavailable, outlook.report.lacks.first?.advice ?? "This chart has no pages.")
        }
        return try reading { () throws(LibraryError) in
            ViewerChart(
                id: id, name: place.attachment.displayName, title: place.item.title,
                key: place.item.keyName.isEmpty ? nil : place.item.keyName, hash: hash, layers: try layers(of: id),
                pages: outlook.pages.map { ViewerPage($0) }, order: outlook.order,
                flags: outlook.report.notes.map(\.sentence.asSentence), next: try neighbour(place.after),
                previous: try neighbour(place.before))
        }
    }

    func select(_ page: ViewerPageChoice) async throws(ViewerRefusal) -> ViewerImage {
        let use = try use(of: page)
        do throws(ShowFailure) {
            return ViewerImage(try await agent.select(chart: page.chart, page: page.page, isMarked: page.isMarked, use: use))
        } catch {
            throw ViewerRefusal(error)
        }
    }

    /// Which of an attachment's charts the viewer shows; `nil` if there is only one, for which no page has to wait until all plans are read.
    private func use(of page: ViewerPageChoice) throws(ViewerRefusal) -> ChartUse? {
        try reading { () throws(LibraryError) in
            guard try library.charts.all(of: page.chart).count > 1 else { return nil }
            return ChartPlace(of: page.chart, in: page.plan, item: page.item, of: try library.plans.all(), now: now)?.attachment.use
        }
    }

    func image(_ name: ImageName) async throws(ViewerRefusal) -> ViewerImageBytes {
        do throws(ShowFailure) {
            return .bytes(try await agent.image(named: name).bytes)
        } catch {
            throw ViewerRefusal(error)
        }
    }

    func live(
        _ page: ViewerPageChoice, in folder: ImageFolder, longSide: Int, for viewer: String
    ) async throws(ViewerRefusal) -> ViewerImageBytes {
        do throws(ShowFailure) {
            let shown = try await agent.live(
                chart: page.chart, in: folder, page: page.page, isMarked: page.isMarked, longSide: longSide, for: viewer)
            return .bytes(shown.bytes)
        } catch {
            throw ViewerRefusal(error)
        }
    }

    func setLayer(_ layer: LayerID, isVisible: Bool, of chart: AttachmentID) async throws(ViewerRefusal) {
        let isChanged = try reading { () throws(LibraryError) -> Bool? in
            guard try layers(of: chart).contains(where: { $0.id == layer }) else { return nil }
            return try library.drawings.setHidden(!isVisible, layer: layer, of: chart)
        }
        guard let isChanged else { throw .unknownLayer }
        if isChanged { agent.reconcile() }
    }

    /// Everybody's layers on a chart, and those from the musician's own files.
    private func layers(of chart: AttachmentID) throws(LibraryError) -> [ViewerLayer] {
        let hidden = try library.drawings.hiddenLayers(of: chart)
        return try library.drawings.layerHeads(of: chart).map { layer, pages in
            ViewerLayer(
                id: layer.id, name: layer.name, person: layer.personName.isEmpty ? nil : layer.personName,
                isVisible: !hidden.contains(layer.id), pages: pages.sorted())
        }
    }

    /// The nearest of them that has pages to show: on stage, one that is not here would be a dead end.
    private func neighbour(_ places: [ChartPlace.Neighbour]) throws(LibraryError) -> ViewerChart.Neighbour? {
        for place in places {
            guard let chart = try library.charts.chart(of: place.chart), try library.charts.hasBytes(of: chart.hash),
                try library.charts.description(of: chart.hash) != nil
            else { continue }
            return ViewerChart.Neighbour(chart: place.chart, item: place.item, title: place.title)
        }
        return nil
    }
}

extension ViewerPage {
    fileprivate init(_ page: ChartOutlook.Page) {
        self.init(
            index: page.index, width: page.geometry.width, height: page.geometry.height, isMarked: page.isMarked,
            plain: ViewerImage(page.plain), annotated: ViewerImage(page.annotated), thumbnail: ViewerImage(page.thumbnail))
    }
}

extension ViewerImage {
    fileprivate init(_ page: ShownPage) {
        // A PNG's header has its size, as two numbers of four bytes.
        func number(at offset: Int) -> Int { page.bytes.dropFirst(offset).prefix(4).reduce(0) { $0 << 8 | Int($1) } }
        self.init(name: page.name, width: number(at: 16), height: number(at: 20), isHere: true)
    }
}
