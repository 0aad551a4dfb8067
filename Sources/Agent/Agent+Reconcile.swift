import Freshness
import Library
import Model
import PageCache
import Platform
import Rendering

extension Agent {
    /// Follows a hint that the library, the cache or the settings may have changed: derives what is wanted, subtracts
    /// what is there, queues the rest. Twice in a row, the second does nothing.
    public func reconcile() {
        hints.hint { [weak self] in await self?.reconcileOnce() }
    }

    private func reconcileOnce() async {
        do {
            let renderer = try await parts.renderer.identity()
            try beginDescriptions(tag: renderer.tag)
            let (set, marks) = try wantedSet(by: renderer)
            self.marks = marks
            plainImages = set.images.reduce(into: [:]) { if $1.inputs.variant == .plain { $0[$1.page] = $1.name } }
            // What another renderer drew is nothing to go on from.
            lastAnnotated = lastRenderer == renderer ? lastAnnotated.filter { plainImages[$0.key] != nil } : [:]
            lastRenderer = renderer
            try parts.cache.rescan()
            wanted = set.images.count
            pages = Set(set.images.map(\.page)).count
            let present = present(of: set)
            try recallFailures(of: set, present: present)
            queue.replaceWaiting(with: set.missing(from: present).filter(failures.mayTry), apart: failures.pages)
            tellProgress()
        } catch RenderFailure.stopped {
            // The end has begun; what is due is found again at the next start.
        } catch {
            parts.log.error("\(error)")
        }
    }

    /// The images of a set that are in the cache and whole.
    func present(of set: WantedSet) -> Set<ImageName> {
        parts.cache.whole(set.images.map(\.name))
    }

    /// What the coming plans need, and the marks that their annotated images show.
    func wantedSet(by renderer: RendererIdentity) throws(LibraryError) -> (WantedSet, [MarkDigest: PageMarks]) {
        var marks: [MarkDigest: PageMarks] = [:]
        var plans: [PlanSnapshot] = []
        for contents in try plansInScope() {
            var charts: [ChartSnapshot] = []
            for attachment in contents.attachments {
                guard let chart = try snapshot(of: attachment, marks: &marks) else { continue }
                charts.append(chart)
            }
            plans.append(PlanSnapshot(plan: contents.plan, charts: charts))
        }
        return (WantedSet(LibrarySnapshot(plans: plans), rules: rules(renderer), now: now), marks)
    }

    /// What decides which images are wanted, beside the library.
    func rules(_ renderer: RendererIdentity) -> WantedSet.Rules {
        WantedSet.Rules(settings: settings.render, renderer: renderer, ahead: settings.ahead)
    }

    /// A chart whose bytes are here and whose pages have been counted, and what is drawn on it.
    func snapshot(
        of attachment: Attachment, marks: inout [MarkDigest: PageMarks]
    ) throws(LibraryError) -> ChartSnapshot? {
        guard let chart = try parts.library.chart(of: attachment.id), try parts.library.hasBytes(of: chart.hash),
            let description = try parts.library.description(of: chart.hash)
        else { return nil }
        let pageMarks = PageMarks.join(try parts.library.layers(of: attachment.id))
        for each in pageMarks.values { marks[each.digest] = each }
        return ChartSnapshot(
            attachment: attachment.id, hash: chart.hash, pageCount: description.pages.count, needsFonts: description.needsFonts,
            marks: pageMarks.mapValues(\.digest))
    }
}
