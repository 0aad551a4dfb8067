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

    /// The same for what comes in large numbers: soon, but never so often that it costs more than what came.
    func reconcilePatiently() {
        hints.hintPatiently { [weak self] in await self?.reconcileOnce() }
    }

    private func reconcileOnce() async {
        // What is due is found again at the next start; begun now, it would be broken off and due at once, for ever.
        guard !isStopping else { return }
        do {
            try keepCatalogue()
            let renderer = try await parts.renderer.identity()
            if let surroundings { spareTheBattery(surroundings.isOnBattery) }
            await markKeeper.lookOnce()
            try beginDescriptions(tag: renderer.tag)
            defer { pageComparer.look() }
            try await keeper.drawnMarks.lookThrough()
            let (set, snapshot) = try wants.setAndSnapshot(in: settings.scope, by: renderer, now: now)
            let whole = settings.scope == .all ? set : try wants.set(by: renderer, now: now)
            let changed = viewing.take(snapshot)
            plainImages = set.images.reduce(into: [:]) { if $1.inputs.variant == .plain { $0[$1.page] = $1.name } }
            // What another renderer drew is nothing to go on from.
            if lastRenderer != renderer { lastAnnotated = LastAnnotated() }
            lastAnnotated.keep { plainImages[$0] != nil }
            lastRenderer = renderer
            try parts.cache.rescan()
            try keeper.recall()
            wantedInCache = whole
            try await keeper.holdLimits(wanted: whole, by: renderer)
            wanted = set.images.count
            pages = Set(set.images.map(\.page)).count
            let present = present(of: set)
            try recallFailures(of: set, present: present)
            let missing = try missing(of: set, in: whole, present: present)
            if showing.plan != nil { noteLookedAt() }
            queue.replaceWaiting(with: missing.filter(failures.mayTry), apart: failures.pages)
            upkeep.hold(set, in: parts.cache)
            tellWithheld()
            tellProgress()
            (reconcileTrouble, reconcileFailures) = (nil, 0)
            onNews?(.reconciled(changed: changed))
        } catch RenderFailure.stopped {
            // The end has begun meanwhile.
        } catch {
            parts.log.error("\(error)")
            reconcileTrouble = "\(error)"
            reconcileFailures += 1
            upkeep.tryAgain(.failedLook, after: GrowingPause.after(reconcileFailures), parts.time) { [weak self] in self?.reconcile() }
        }
    }

    /// What of `set` is to be made: what is not there, as far as the cache has room for it beside everything else.
    private func missing(of set: WantedSet, in whole: WantedSet, present: Set<ImageName>) throws(SystemError) -> [WantedImage] {
        let present = set == whole ? present : self.present(of: whole)
        let admission = try keeper.admission(of: whole, present: present)
        let withheld = Set(admission.withheld.map(\.name))
        self.withheld = withheld
        hasLearnedSizes = false
        guard set != whole else { return admission.missing }
        return set.images.filter { admission.admitted.contains($0.name) && !present.contains($0.name) }
    }

    /// Tells what there is no room for, once it is certain: as long as charts come and images are made, it changes all the time.
    private func tellWithheld() {
        guard polls.isEmpty, descriptions.isIdle, queue.isIdle, withheld.count != withheldAsTold else { return }
        withheldAsTold = withheld.count
        if !withheld.isEmpty { parts.log.warning(keeper.reasonToWithhold(withheld.count)) }
    }

    /// Ends a stretch of rendering: nothing waits any more.
    func endOfQueue() {
        keeper.flush()
        if let wantedInCache { upkeep.hold(wantedInCache, in: parts.cache) }
        // What is withheld by sizes that were guessed may fit by those that are known now.
        if !withheld.isEmpty, hasLearnedSizes { reconcile() }
    }

    /// The images of a set that are in the cache and whole.
    func present(of set: WantedSet) -> Set<ImageName> {
        parts.cache.whole(set.images.map(\.name))
    }
}
