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
    /// Follows a hint that the library, the cache or the settings may have changed: derives what is wanted, subtracts
    /// what is there, queues the rest. Twice in a row, the second does nothing.
    public func reconcile() { look.soon() }

    func reconcileOnce() async {
        // What is due is found again at the next start; begun now, it would be broken off and due at once, for ever.
        guard !ending.hasBegun else { return }
        do {
            try await deriveAndQueue()
            looks.noteSuccess()
        } catch RenderFailure.stopped {
            // The end has begun meanwhile.
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
        // Nothing tells when it has passed.
        upkeep.count(at: [counter.next, maker.nextRested].compactMap(\.self).min(), parts.time) { [look] in look.soon() }
        defer { comparer.look() }
        try await keeper.drawnMarks.lookThrough()
        let (set, snapshot) = try wants.setAndSnapshot(in: settings.scope, by: renderer, now: parts.now)
        let whole = settings.scope == .all ? set : try wants.set(by: renderer, now: parts.now)
        let changed = viewing.take(snapshot)
        let isOfOtherRenderer = wanted.renderer != renderer
        wanted.take(set, in: whole, by: renderer)
        keeper.noteWanted(whole)
        // What another renderer drew is nothing to go on from.
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

    /// Images outlive a catalogue that is lost or put back, and what their pages lost is known to none then: the small ones are drawn again.
    private func drawAgainWhatNobodySaw(in set: WantedSet) throws {
        let charts = try parts.library.images.chartsToLookThrough()
        guard !charts.isEmpty else { return }
        let unseen = set.images.filter { $0.inputs.variant == .thumbnail && charts.contains($0.inputs.chart) }
        var seen = Set(unseen.map(\.inputs.chart))
        for image in unseen where parts.cache.contains(image.name) {
            // Where the cache cannot be written, nothing is drawn again; but what is here can be shown.
            do throws(PageCacheError) { try parts.cache.remove(image.name, as: .cleared) } catch { seen.remove(image.inputs.chart) }
        }
        try parts.library.images.noteLookedThrough(seen)
    }

    /// What of `set` is to be made: what is not there, as far as the cache has room for it beside everything else.
    private func missing(of set: WantedSet, in whole: WantedSet, present: Set<ImageName>) throws(SystemError) -> [WantedImage] {
        let present = set == whole ? present : self.present(of: whole)
        let admission = try keeper.admission(of: whole, present: present)
        wanted.withhold(Set(admission.withheld.map(\.name)))
        guard set != whole else { return admission.missing }
        return set.images.filter { admission.admitted.contains($0.name) && !present.contains($0.name) }
    }

    /// Tells what there is no room for, once it is certain: as long as charts come and images are made, it changes all the time.
    private func tellWithheld() {
        guard polling.polls.isEmpty, counter.isIdle, maker.queue.isIdle, let count = wanted.withheldToTell(), count > 0 else { return }
        parts.log.warning(keeper.reasonToWithhold(count))
    }

    /// The images of a set that are in the cache and whole.
    func present(of set: WantedSet) -> Set<ImageName> { parts.cache.whole(set.images.map(\.name)) }

    /// The library's plans that are kept ready, as far as this agent works for them.
    func plansInScope() throws(LibraryError) -> [PlanContents] { try wants.plans(in: settings.scope, now: parts.now) }
}

/// How the looks at what is wanted went.
@LoopActor
final class Looks {
    /// Why the last one came to nothing; `nil` when it did not.
    private(set) var trouble: String?
    /// How often in a row one came to nothing.
    private var failures = 0

    nonisolated init() {}

    func noteSuccess() { (trouble, failures) = (nil, 0) }

    /// Answers after how long the next is due.
    func noteFailure(_ reason: String) -> Duration {
        trouble = reason
        failures += 1
        return GrowingPause.after(failures)
    }
}
