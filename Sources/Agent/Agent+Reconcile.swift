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
            let tag = try await parts.renderer.tag()
            try await describeCharts(tag: tag)
            let (set, marks) = try wantedSet(tag: tag)
            self.marks = marks
            try parts.cache.rescan()
            let missing = set.missing(from: parts.cache.present()).filter { failed[$0.name] == nil }
            wanted = set.images.count
            self.missing = missing.count
            pages = Set(set.images.map(\.page)).count
            missingPages = Set(missing.map(\.page)).count
            queue.replaceWaiting(with: missing)
            tellProgress()
        } catch {
            parts.log.error("\(error)")
        }
    }

    /// What the coming plans need, and the marks that their annotated images show.
    func wantedSet(tag: RendererTag) throws(LibraryError) -> (WantedSet, [MarkDigest: PageMarks]) {
        var marks: [MarkDigest: PageMarks] = [:]
        var plans: [PlanSnapshot] = []
        for contents in try plansInScope() {
            var charts: [ChartSnapshot] = []
            for attachment in contents.attachments {
                guard let chart = try parts.library.chart(of: attachment.id), try parts.library.hasBytes(of: chart.hash),
                    let pages = try parts.library.description(of: chart.hash)
                else { continue }
                let pageMarks = PageMarks.join(try parts.library.layers(of: attachment.id))
                for each in pageMarks.values { marks[each.digest] = each }
                charts.append(
                    ChartSnapshot(
                        attachment: attachment.id, hash: chart.hash, pageCount: pages.count, marks: pageMarks.mapValues(\.digest)))
            }
            plans.append(PlanSnapshot(plan: contents.plan, charts: charts))
        }
        let rules = WantedSet.Rules(settings: settings.render, tag: tag, ahead: settings.ahead)
        return (WantedSet(LibrarySnapshot(plans: plans), rules: rules, now: now), marks)
    }

    /// Has the pages counted of every chart of the coming plans that this renderer has not looked at.
    private func describeCharts(tag: RendererTag) async throws(LibraryError) {
        var seen: Set<ChartHash> = []
        var open: [ChartHash] = []
        for contents in try plansInScope() {
            for attachment in contents.attachments {
                guard let chart = try parts.library.chart(of: attachment.id), seen.insert(chart.hash).inserted,
                    try parts.library.hasBytes(of: chart.hash), try parts.library.description(of: chart.hash) == nil,
                    try parts.library.unreadable(chart.hash)?.tag != tag
                else { continue }
                open.append(chart.hash)
            }
        }
        // A PDF may hang for as long as the limit allows: the others do not wait for it.
        await concurrently(open, atMost: parts.renderer.width) { [self] hash in await describe(hash, tag: tag) }
    }

    private func describe(_ hash: ChartHash, tag: RendererTag) async {
        do {
            do {
                let description = try await parts.renderer.describe(chart: parts.library.path(of: hash))
                try parts.library.setDescription(description.pages, of: hash, by: tag)
            } catch let failure as RenderFailure {
                // Only the chart's own fault is remembered; a missing program or a stopped pool says nothing of it.
                guard failure.isLasting else { throw failure }
                parts.log.warning("chart \(hash.digest.shortHex): \(failure)")
                try parts.library.setUnreadable(failure.description, of: hash, by: tag)
            }
        } catch {
            parts.log.error("\(error)")
        }
    }
}
