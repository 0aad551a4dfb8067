import Freshness
import Keeping
import Library
import Marks
import Model
import PageCache
import Platform
import Rendering
import Sync

extension Agent {
    /// Follows a hint that the library, the cache or the settings may have changed: works out what is wanted, subtracts what is there,
    /// and queues the rest. A second call in a row does nothing.
    public func reconcile() { look.soon() }

    func reconcileOnce() async {
        // What is due is found again at the next start; begun now, it would only be broken off and be due again at once, for ever.
        guard !ending.hasBegun else { return }
        do {
            try await deriveAndQueue()
            looks.noteSuccess()
        } catch RenderFailure.stopped {
            // The agent has begun to stop meanwhile.
        } catch {
            parts.log.error("\(error)")
            upkeep.tryAgain(.failedLook, after: looks.noteFailure("\(error)"), parts.time) { [look] in look.soon() }
        }
    }

    private func deriveAndQueue() async throws {
        try polling.catalogue.keepInPlace()
        let renderer = try await parts.renderer.identity()
        polling.regular.lookAtBattery()
        await markKeeper.lookOnce()
        try counter.count(plansInScope(), tag: renderer.tag)
        // No event tells when a chart's rest is over, so a timer does.
        upkeep.count(at: [counter.next, maker.nextRested].compactMap(\.self).min(), parts.time) { [look] in look.soon() }
        defer { comparer.look() }
        try await keeper.drawnMarks.lookThrough()
        let (set, snapshot) = try wants.setAndSnapshot(in: settings.scope, by: renderer, now: parts.now)
        let whole = settings.scope == .all ? set : try wants.set(by: renderer, now: parts.now)
        let changed = viewing.take(snapshot)
        let isOfOtherRenderer = wanted.renderer != renderer
        wanted.take(set, in: whole, by: renderer)
        // Images drawn by another renderer are no basis for new ones.
        maker.forgetAnnotated(isOfOtherRenderer: isOfOtherRenderer)
        try parts.cache.rescan()
        try keeper.recall()
        try await keeper.holdLimits(wanted: whole, by: renderer)
        try drawAgainWhatNobodySaw(in: set)
        let present = present(of: set)
        try maker.recallFailures(of: set, present: present, knowsAllMarks: settings.scope == .all)
        let missing = try missing(of: set, in: whole, present: present)
        if showing.plan != nil { showing.noteLookedAt() }
        maker.queue(missing)
        upkeep.hold(set, in: parts.cache)
        tellWithheld()
        listeners.tellProgress()
        listeners.tell(.reconciled(changed: changed))
    }

    /// Images can outlive a catalogue that is lost or replaced by an older one, and then nobody knows what their pages lost in drawing.
    /// So their thumbnails are drawn again, which finds that out; but not while nothing is drawn, when they would only be missing.
    private func drawAgainWhatNobodySaw(in set: WantedSet) throws {
        guard !isPaused else { return }
        let charts = try parts.library.images.chartsToLookThrough()
        guard !charts.isEmpty else { return }
        let unseen = set.images.filter { $0.inputs.variant == .thumbnail && charts.contains($0.inputs.chart) }
        var seen = Set(unseen.map(\.inputs.chart))
        var redrawn = 0
        for image in unseen where parts.cache.contains(image.name) {
            // If the cache cannot be written, nothing is drawn again; but what is here can be shown.
            do throws(PageCacheError) {
                try parts.cache.remove(image.name, as: .cleared)
                redrawn += 1
            } catch {
                seen.remove(image.inputs.chart)
            }
        }
        if redrawn > 0 {
            let thumbnails = redrawn == 1 ? "1 thumbnail is" : "\(redrawn) thumbnails are"
            parts.log.info("\(thumbnails) drawn again: the catalogue no longer knows whether the pages are whole")
        }
        try parts.library.images.noteLookedThrough(seen)
    }

    /// What has to be made of `set`: whatever is not there, as far as the cache has room for it beside everything else.
    private func missing(of set: WantedSet, in whole: WantedSet, present: Set<ImageName>) throws(SystemError) -> [WantedImage] {
        let present = set == whole ? present : self.present(of: whole)
        let admission = try keeper.admission(of: whole, present: present)
        wanted.withhold(Set(admission.withheld.map(\.name)))
        guard set != whole else { return admission.missing }
        return set.images.filter { admission.admitted.contains($0.name) && !present.contains($0.name) }
    }

    /// Reports what there is no room for, once that is certain: while charts arrive and images are made, it changes all the time.
    private func tellWithheld() {
        guard polling.polls.isEmpty, counter.isIdle, maker.queue.isIdle, let count = wanted.withheldToTell(), count > 0 else { return }
        parts.log.warning(keeper.reasonToWithhold(count))
    }

    /// The images of a set that are in the cache and intact.
    func present(of set: WantedSet) -> Set<ImageName> { parts.cache.intact(set.images.map(\.name)) }

    /// The library's plans that are kept ready, as far as this agent works for them.
    func plansInScope() throws(LibraryError) -> [PlanContents] { try wants.plans(in: settings.scope, now: parts.now) }
}

/// How the looks at what is wanted went.
@LoopActor
final class Looks {
    /// Why the last one failed; `nil` if it did not.
    private(set) var trouble: String?
    /// How many failed in a row.
    private var failures = 0

    nonisolated init() {}

    func noteSuccess() { (trouble, failures) = (nil, 0) }

    /// Answers after how long the next one is due.
    func noteFailure(_ reason: String) -> Duration {
        trouble = reason
        failures += 1
        return GrowingPause.after(failures)
    }
}
