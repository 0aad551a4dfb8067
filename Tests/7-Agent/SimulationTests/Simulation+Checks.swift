import Agent
import Freshness
import Library
import Model
import PageCache
import Platform
import Rendering
import TestSupport

@testable import ImageKeeping
@testable import Sync

/// The conditions that must hold once everything has settled.
extension Simulation {
    func check() async throws {
        guard let life else { return }
        try checkNothingIsGone()
        try await checkReadiness()
        complaints += try music.differences().map { "\($0) is not as the musician left it" }
        let outcome = await life.agent.poll()
        await settle("after a poll")
        let failures = try unexpected(in: outcome, of: life)
        if !failures.isEmpty || outcome.reach != .reached || outcome.isCancelled {
            complain("in fair weather a poll fails: \(failures.map(\.description))")
        }
        try checkCopiesGiveWay()
        try checkSets()
        try checkTonight()
        try await checkImages(of: life)
        // A second reconcile right after the first does nothing.
        let jobs = life.witness.jobs
        life.agent.reconcile()
        await settle("after a second reconcile")
        if life.witness.jobs != jobs { complain("a second reconcile makes \(life.witness.jobs - jobs) jobs") }
        try await checkSecondLookAtSets()
        _ = await life.cache.survey()
        if let bytes = life.cache.bytes, let limit = settings.cache.limit, bytes > limit, try life.library.plans.pinned().isEmpty {
            complain("images take \(bytes) of \(limit)")
        }
        trace.note("CHECKED \(life.cache.present().count) images, \(life.witness.jobs) jobs")
    }

    /// A poll in fair weather fetches every file that foul weather kept away.
    func checkAllIsFetched() throws {
        guard let life, let outcome = life.lastOutcome, outcome.reach == .reached, !outcome.isCancelled else { return }
        // A file that could not be opened after two downloads is not fetched again soon.
        let missing = try unexpected(in: outcome, of: life).filter {
            $0.subject.contains(".pdf") && !$0.message.contains("the chart already here is kept")
        }
        if !missing.isEmpty { complain("a poll in fair weather does not fetch \(missing.map(\.description))") }
    }

    /// The setbacks that a poll must not have in fair weather.
    private func unexpected(in outcome: PollOutcome, of life: Life) throws -> [Setback] {
        // If a lie changed a plan, and the service later stopped listing the plan, a person must decide. Until then, the plan's charts
        // stay as they were, even if the service has other files for them by now.
        let held = Set(try life.library.plans.heldBack().map(\.plan.id))
        let keptBack = Set(
            try life.library.plans.allAsPlanned().filter { held.contains($0.plan.id) }.flatMap(\.attachments).map(\.filename))
        let (broken, brokenInSets) = (Set(brokenAtTheService.map { "\($0.name).pdf" }), self.brokenInSets)
        let added = try addedTonight(life.library)
        return outcome.setbacks.filter {
            let isRight = $0.message.contains("the chart already here is kept") && broken.contains(where: $0.subject.hasPrefix)
            // If several charts have the same trouble, it is reported once.
            let isOfKeptBack = $0.subject.split(separator: ", ").allSatisfy { keptBack.contains(String($0)) }
            let isOfSets = $0.subject.split(separator: ", ").allSatisfy { brokenInSets.contains(String($0)) }
            return !isOfSets && !added.contains($0.subject) && !isRight && !$0.message.contains("woodshed accept") && !isOfKeptBack
        }
    }

    /// The charts whose present file at the service cannot be opened, or has a page that cannot be drawn.
    private var brokenAtTheService: [SmallService.Chart] {
        service.plans.flatMap(\.charts).filter { chart in
            guard let score = scores["\(ChartHash(SHA256.digest(of: chart.bytes)))"] else { return false }
            return score.isBroken || score.badPage != nil
        }
    }

    private func wanted(by life: Life) async throws -> WantedSet {
        let wants = LibraryWants(library: life.library, render: settings.render, ahead: settings.ahead)
        return try wants.set(by: try await life.renderer.identity(), now: clock.timestamp)
    }

    /// Checks that every wanted image has the bytes that its name requires, and that the agent has a record of all images on the disk.
    private func checkImages(of life: Life) async throws {
        let wanted = Set(try await wanted(by: life).images.map(\.name))
        var found: Set<ImageName> = []
        let pages = life.cache.folder + "/pages"
        for chart in ((try? Folder.names(in: pages)) ?? []).sorted() {
            for file in try Folder.names(in: pages + "/" + chart).sorted() {
                guard let name = ImageName(folder: chart, file: file) else { continue }
                found.insert(name)
                if wanted.contains(name), try AtomicFile.read(life.cache.path(of: name), limit: 1 << 20) != life.witness.expected(name) {
                    complain("\(name) is not whole")
                }
            }
        }
        if found != life.cache.present() { complain("the agent is wrong about which images there are") }
    }

    // MARK: A fresh agent

    /// Checks that an agent without any history reaches the same state.
    func checkAgainstFresh() async throws {
        guard let old = life else { return }
        let place = folder.path("fresh")
        try Folder.create(place)
        trace.note("FRESH")
        // Nobody has told a fresh agent what was changed for tonight.
        for plan in try old.library.plans.all().map(\.plan.id) {
            guard let set = try old.library.plans.tonightSet(of: plan) else { continue }
            _ = try old.agent.change(.asPlanned, of: plan, at: set.number)
        }
        tonight = [:]
        let fresh = try Life(in: place, self)
        for id in Set(layers.values.map(\.attachment)).sorted() {
            for layer in try old.library.drawings.hiddenLayers(of: AttachmentID(id)).sorted() {
                _ = try fresh.library.drawings.setHidden(true, layer: layer, of: AttachmentID(id))
            }
        }
        _ = await fresh.agent.poll()
        // Only the old agent may have plans that are kept just because they are pinned; pin the others for the fresh agent, too.
        for plan in try old.library.plans.pinned().sorted() { _ = try? fresh.library.plans.pin(plan) }
        await wait(.seconds(120))
        for life in [old, fresh] {
            life.agent.reconcile()
            self.life = life
            await settle("beside another")
        }
        life = old
        let (mine, its) = (try await wanted(by: old), try await wanted(by: fresh))
        // If a chart's new file cannot be opened or drawn, only the old agent has the former file, and may lack the new one. Only the
        // old agent has a record of which marks came from another chart. So these charts are not compared.
        let former = brokenAtTheService.map(\.id) + (try passedOn(old.library)).values + (try formerSetCharts(in: old.library)).map(\.text)
        let kept = Set(
            try former.flatMap { try old.library.charts.all(of: AttachmentID($0)) + fresh.library.charts.all(of: AttachmentID($0)) })
        func names(_ set: WantedSet) -> Set<ImageName> { Set(set.images.filter { !kept.contains($0.inputs.chart) }.map(\.name)) }
        let (mineNames, itsNames) = (names(mine), names(its))
        // Plans that vanished from the list, or were put off less than a day ago, are kept, and a fresh agent cannot know them.
        let pinned = try old.library.plans.pinned()
        let held = Set(try old.library.plans.heldBack().map(\.plan.id))
        let isComparable = mine.plans.allSatisfy { plan in
            guard !held.contains(plan) else { return false }
            return its.plans.contains(plan) || !pinned.contains(plan) && service.plans.contains { PlanID($0.id) == plan }
        }
        if !itsNames.isSubset(of: mineNames) { complain("a fresh agent wants \(itsNames.subtracting(mineNames).sorted())") }
        if isComparable, mineNames != itsNames { complain("a fresh agent does not want \(mineNames.subtracting(itsNames).sorted())") }
        let (mineHere, itsHere) = (old.cache.present().intersection(itsNames), fresh.cache.present().intersection(itsNames))
        if !isTight, mineHere != itsHere {
            complain(
                "against a fresh agent's, the cache lacks \(itsHere.subtracting(mineHere).sorted()) and has \(mineHere.subtracting(itsHere).sorted())"
            )
        }
        if !isTight, mine.images.count > 0 {
            let lacking = mine.images.filter { !old.cache.contains($0.name) && !isHopeless($0) }
            if !lacking.isEmpty { complain("wanted and not there: \(lacking.map(\.name))") }
        }
        // Without the catalogue, sizes are estimates. If no further image fits by its estimate, none is made that would show the true size.
        if isTight, !hasLostCatalogue { checkRoom(mine, old.cache) }
        trace.note("wanted \(mineNames.sorted())")
        trace.note("here \(old.cache.present().sorted())")
        await fresh.agent.stop()
    }

    /// Checks that a small cache has no free room while a better image is missing.
    ///
    /// The images that fit depend on the sizes that were known when each was made, so the check leaves a margin.
    private func checkRoom(_ wanted: WantedSet, _ cache: PageCache) {
        let most = 70_000
        guard let limit = settings.cache.limit?.bytes else { return }
        let better = wanted.images.sorted { wanted.worth(of: $0) > wanted.worth(of: $1) }
        var taken = 0
        for image in better {
            taken += image.inputs.variant == .thumbnail ? 5000 : most
            guard taken + most < limit - limit / 10 else { return }
            if !cache.contains(image.name), !isHopeless(image) { complain("there is room for \(image.name), and it is not there") }
        }
    }

    /// Whether an image can never be made.
    private func isHopeless(_ image: WantedImage) -> Bool {
        guard let score = scores["\(image.inputs.chart)"] else { return false }
        return score.badPage == image.inputs.page.value || image.inputs.marks.map(badMarks.contains) == true
    }
}
