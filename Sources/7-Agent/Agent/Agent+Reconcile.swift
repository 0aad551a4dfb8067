import Freshness
import ImageKeeping
import Library
import Marks
import Model
import PageCache
import Platform
import Rendering
import Sync

extension Agent {
    /// Schedules a run, since the library, the cache or the settings may have changed. The run determines the wanted images,
    /// subtracts those in the cache, and queues the rest. A second run without changes does nothing.
    public func reconcile() { core.look.soon() }

    func reconcileOnce() async {
        // The agent is stopping. Work started now would only be cancelled, and the next start finds the same work again.
        guard !core.ending.hasBegun else { return }
        do {
            let renderer = try await prepare()
            defer {
                comparer.requestComparison()
                planPDFs?.requestUpdate()
            }
            try await core.keeper.drawnMarks.look()
            let (set, whole, changed) = try derive(by: renderer)
            try await keepCache(whole, by: renderer)
            try queue(set, in: whole)
            report(changed)
            core.upkeep.noteLook(failing: nil)
            band?.noteOwnChange()
        } catch RenderFailure.stopped {
            // The agent began to stop during the run.
        } catch is LibraryError where core.library.isLeft {
            // The function that left the library reports this, and another agent replaces this one.
        } catch {
            core.log.error("\(error)")
            core.upkeep.noteLook(failing: "\(error)")
        }
    }

    /// Checks that the catalogue is in its place, reads changes in the mark folders, and has new charts counted.
    private func prepare() async throws -> RendererIdentity {
        try polling.catalogue.checkIsInPlace()
        let renderer = try await core.renderer.identity()
        polling.lookAtBattery()
        await markKeeper.finishFirstLook()
        try counter.count(plansInScope(), tag: renderer.tag)
        // No event reports that a postponed chart may be tried again, so a timer does.
        core.upkeep.requestLook(for: .rest, at: [counter.next, maker.nextRested].compactMap(\.self).min())
        return renderer
    }

    /// Determines the images for this run (`set`), the images that belong in the cache (`whole`), and the charts that have changed.
    private func derive(
        by renderer: RendererIdentity
    ) throws(LibraryError) -> (set: WantedSet, whole: WantedSet, changed: Set<AttachmentID>) {
        let (set, snapshot) = try wants.setAndSnapshot(in: core.settings.scope, by: renderer, now: core.now)
        let whole = core.settings.scope == .all ? set : try wants.set(by: renderer, now: core.now)
        let changed = core.viewing.adopt(snapshot)
        let isOfOtherRenderer = core.wanted.renderer != renderer
        core.wanted.adopt(set, in: whole, by: renderer)
        // New images must not be based on images drawn by another renderer.
        maker.forgetAnnotated(isOfOtherRenderer: isOfOtherRenderer)
        return (set, whole, changed)
    }

    /// Lists the cache's files, and keeps the cache within its limits.
    private func keepCache(_ whole: WantedSet, by renderer: RendererIdentity) async throws {
        try core.cache.rescan()
        try keeper.recall()
        try await keeper.holdLimits(wanted: whole, by: renderer)
    }

    /// Queues the images that are not in the cache.
    private func queue(_ set: WantedSet, in whole: WantedSet) throws {
        try drawAgainWhatNobodySaw(in: set)
        let present = present(of: set)
        try maker.recallFailures(of: set, present: present, knowsAllMarks: core.settings.scope == .all)
        let missing = try missing(of: set, in: whole, present: present)
        if showing.plan != nil { showing.noteLookedAt() }
        maker.queue(missing)
        core.upkeep.hold(set, in: core.cache)
    }

    private func report(_ changed: Set<AttachmentID>) {
        // The number of withheld images changes constantly while charts arrive and images are made, so it is reported only afterwards.
        if polling.polls.isEmpty, counter.isIdle, maker.queue.isIdle, let count = core.wanted.withheldToTell(), count > 0 {
            core.log.warning(keeper.reasonToWithhold(count).description)
        }
        core.listeners.reportProgress()
        core.listeners.report(.reconciled(changed: changed))
    }

    /// After the catalogue was lost or replaced by an older one, the images are still in the cache, but the faults found while
    /// drawing them are no longer recorded. Draws the thumbnails again to find these faults. Does nothing during a pause, when the
    /// removed thumbnails could not be drawn.
    private func drawAgainWhatNobodySaw(in set: WantedSet) throws {
        guard !isPaused else { return }
        let charts = try core.library.images.chartsToLookThrough()
        guard !charts.isEmpty else { return }
        let unseen = set.images.filter { $0.inputs.variant == .thumbnail && charts.contains($0.inputs.chart) }
        var seen = Set(unseen.map(\.inputs.chart))
        var redrawn = 0
        for image in unseen where core.cache.contains(image.name) {
            // If the cache cannot be written, nothing is drawn again, but existing images can be shown.
            do throws(PageCacheError) {
                try core.cache.remove(image.name, as: .cleared)
                redrawn += 1
            } catch {
                seen.remove(image.inputs.chart)
            }
        }
        if redrawn > 0 {
            let thumbnails = redrawn == 1 ? "1 thumbnail is" : "\(redrawn) thumbnails are"
            core.log.info("\(thumbnails) drawn again: the catalogue no longer knows whether the pages are whole")
        }
        try core.library.images.noteLookedThrough(seen)
    }

    /// The missing images of `set` that fit into the cache together with the other images of `whole`. Notes the images that do not fit.
    private func missing(of set: WantedSet, in whole: WantedSet, present: Set<ImageName>) throws(SystemError) -> [WantedImage] {
        let present = set == whole ? present : self.present(of: whole)
        let admission = try keeper.admission(of: whole, present: present)
        core.wanted.withhold(Set(admission.withheld.map(\.name)))
        guard set != whole else { return admission.missing }
        return set.images.filter { admission.admitted.contains($0.name) && !present.contains($0.name) }
    }

    /// The images of a set that are intact in the cache.
    func present(of set: WantedSet) -> Set<ImageName> { core.cache.intact(set.images.map(\.name)) }

    /// The library's plans that are kept ready, limited to this agent's scope.
    func plansInScope() throws(LibraryError) -> [PlanContents] { try wants.plans(in: core.settings.scope, now: core.now) }
}
