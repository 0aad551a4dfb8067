import Freshness
import ImageKeeping
package import Library
import Marks
public import Model
import PageCache
import Platform
public import Readiness
import Rendering
import Sync

extension Agent {
    /// The plans that are kept ready: the coming ones, nearest first, then plans that are only pinned.
    public func plansKeptReady() throws(Trouble) -> [PlanContents] {
        do throws(LibraryError) {
            let now = core.now
            let kept = try wants.listedPlans(now: now)
            let gone = try core.library.plans.goneInOrder(at: now)
            let isEarlier = { (one: PlanContents, other: PlanContents) in
                NextPlans.isEarlier(one.plan, than: other.plan, gone: gone, at: now)
            }
            let coming = kept.filter { $0.plan.isComing(at: now, ahead: core.settings.ahead) }.sorted(by: isEarlier)
            let pinned = kept.filter { !$0.plan.isComing(at: now, ahead: core.settings.ahead) }
            return coming + pinned.filter { !$0.plan.isPast(at: now) }.sorted(by: isEarlier)
                + pinned.filter { $0.plan.isPast(at: now) }.sorted { $1.plan.comesBefore($0.plan) }
        } catch {
            throw Trouble("\(error)")
        }
    }

    /// The state of plans, in this order, as of the last reconcile run; reads no files.
    public func outlook(of plans: [PlanContents]) async throws(Trouble) -> [PlanOutlook] {
        do {
            let renderer = try await core.renderer.identity()
            let known = try known(by: renderer)
            let planFacts = try PlanFacts(core.library, coming: wants.plans(now: core.now), asking: core.settings.asked)
            var (facts, charts): ([ChartUse: ChartFacts], [ChartUse: ChartOutlook]) = ([:], [:])
            for attachment in plans.flatMap(\.attachments) where charts[attachment.use] == nil {
                let snapshot = try core.viewing.snapshots[attachment.use] ?? wants.snapshot(of: attachment.use)
                let found = try look(at: attachment, snapshot, known, renderer)
                (facts[attachment.use], charts[attachment.use]) = (found.facts, found.outlook)
            }
            return plans.map { contents in
                let shown = Set(contents.attachments.map(\.use))
                return PlanOutlook(
                    contents: contents,
                    report: planFacts.report(of: contents, facts, core.settings.ahead, core.now, unreadable: known.unreadable.whole),
                    charts: charts.filter { shown.contains($0.key) })
            }
        } catch {
            throw Trouble(ofReading: error)
        }
    }

    /// The state of one chart, by the library's present content.
    public func outlook(of attachment: Attachment) async throws(Trouble) -> ChartOutlook {
        do {
            let renderer = try await core.renderer.identity()
            let known = try known(by: renderer)
            return try look(at: attachment, wants.snapshot(of: attachment.use), known, renderer).outlook
        } catch {
            throw Trouble(ofReading: error)
        }
    }

    /// Whether this chart was kept ready as of the last reconcile run.
    public func keepsReady(_ chart: AttachmentID) -> Bool { core.viewing.snapshots.keys.contains { $0.attachment == chart } }

    /// Whether pages of a chart can be shown, from its file or from plain images in the cache.
    package func canShow(_ chart: ChartHash) throws(LibraryError) -> Bool {
        try core.library.charts.hasBytes(of: chart) || core.cache.present(in: ImageFolder(of: chart)).contains { $0.variant == .plain }
    }

    /// Reads the links and the outline of a chart that was described before these were read. Returns whether it has any; also `false` if
    /// it cannot be read now: it is shown without them, and read again in the next run.
    package func findPlaces(in chart: ChartHash) async -> Bool { (try? await counter.findPlaces(in: chart)) ?? false }

    /// Whether a missing image will be made without a request.
    public func isDue(_ name: ImageName) -> Bool {
        guard !isPaused, !core.wanted.withheld.contains(name), maker.failures[name] == nil else { return false }
        return core.wanted[name] != nil
    }

    func known(by renderer: RendererIdentity) throws(LibraryError) -> ReadinessCheck.LibraryFacts {
        var known = try ReadinessCheck.LibraryFacts(core.library, renderer, at: core.now)
        known.unreadable = try UnreadableFolders(
            markFolders.unreadable, in: core.settings.marks.roots, core.library, knowing: known.markFiles)
        return known
    }

    private func look(
        at attachment: Attachment, _ snapshot: ChartSnapshot?, _ known: ReadinessCheck.LibraryFacts, _ renderer: RendererIdentity
    ) throws(LibraryError) -> (facts: ChartFacts, outlook: ChartOutlook) {
        let (facts, images) = try facts(of: attachment, snapshot, known, renderer)
        var pages: [ChartOutlook.Page] = []
        if let images { pages = self.pages(images, try core.library.charts.description(of: images.snapshot.hash)?.pages ?? []) }
        let order = PageSequence(attachment.pageOrder, pageCount: pages.count).pages
        return (facts, ChartOutlook(report: facts.report, pages: pages, order: order))
    }

    /// The facts about a chart and its images as of the last reconcile run, and the images themselves.
    func facts(
        of attachment: Attachment, _ snapshot: ChartSnapshot?, _ known: ReadinessCheck.LibraryFacts, _ renderer: RendererIdentity
    ) throws(LibraryError) -> (facts: ChartFacts, images: PageImages?) {
        var facts = try known.facts(of: attachment, in: core.library, refusal: polling.downloads.refused.reason(of: attachment))
        guard let stored = facts.stored else { return (facts, nil) }
        facts.file = try core.library.charts.hasBytes(of: stored.hash) ? .intact : .gone
        if facts.reasonNotToOpen == nil { facts.reasonNotToOpen = try counter.reasonNotToDescribe(stored.hash, by: known.tag) }
        facts.reasonNotToCount = counter.uncounted.reason(of: stored.hash)
        guard let snapshot else { return (facts, nil) }
        let images = core.viewing.images(of: snapshot, by: renderer, core.settings.render)
        // Without its file, no image can be made, but existing images can be shown.
        guard snapshot.isHere else { return (facts, try canShow(snapshot.hash) ? images : nil) }
        facts.pages = images.pages.count
        facts.images = images.wanted.map { self.fact($0, known) }
        if !core.wanted.withheld.isEmpty { facts.reasonToWithhold = keeper.reasonToWithhold(core.wanted.withheld.count) }
        try facts.noteMarkers { chart, hash throws(LibraryError) in try core.library.drawings.visibleLayers(of: chart, on: hash) }
        return (facts, images)
    }

    private func fact(_ image: WantedImage, _ known: ReadinessCheck.LibraryFacts) -> ChartFacts.Image {
        ChartFacts.Image(
            page: image.inputs.page, variant: image.inputs.variant,
            condition: core.cache.intact([image.name]).isEmpty ? .missing : .intact,
            failure: known.imageFaults[image.name] ?? maker.failures[image.name]?.reason,
            isWithheld: core.wanted.withheld.contains(image.name))
    }

    func pages(_ images: PageImages, _ geometries: [PageGeometry]) -> [ChartOutlook.Page] {
        // Without marks, a page of this version looks the same whatever the renderer and size: an earlier image can stand in.
        lazy var former = Dictionary(
            (images.pages.first.map { core.cache.present(in: $0.plain.name.folder) } ?? []).lazy
                .filter { $0.variant != .annotated }.map { ($0.slot, $0) }, uniquingKeysWith: max)
        return zip(images.pages, geometries).enumerated().map { @LoopActor index, pair in
            let (page, geometry) = pair
            @LoopActor func image(_ image: WantedImage) -> ChartOutlook.Image {
                let size = geometry.pixels(longSide: image.inputs.size)
                let isHere = core.cache.contains(image.name)
                return ChartOutlook.Image(
                    name: image.name, width: size.width, height: size.height, isHere: isHere, ink: core.cache.ink(of: image.name),
                    former: isHere ? nil : former[image.name.slot])
            }
            return ChartOutlook.Page(
                index: PageIndex(index), geometry: geometry, plain: image(page.plain), annotated: image(page.annotated),
                thumbnail: image(page.thumbnail))
        }
    }
}
