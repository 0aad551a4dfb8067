import Band
public import BandLayout
public import Catalogue
import Freshness
import ImageKeeping
import Library
import Model
import PageCache
import Platform
import Readiness

/// A band that an agent plays in: its place, and this device's name there.
public struct BandParts {
    let carrier: any BandCarrier
    let home: HomeID
    let person: String
    /// What people call this device.
    let name: String
    /// Whether changes in the place come without events now: it may be a disk on the network, mounted later.
    let isSilent: @Sendable () -> Bool

    public init(
        carrier: any BandCarrier, home: HomeID, person: String, name: String, isSilent: @escaping @Sendable () -> Bool = { false }
    ) {
        (self.carrier, self.home, self.person, self.name, self.isSilent) = (carrier, home, person, name, isSilent)
    }
}

/// Keeps both sides up to date: what is known of the band, and what this device reports to it.
///
/// Events of the place and of the library are hints, as everywhere: each round looks at everything there, and then writes what is new here.
@LoopActor
final class BandKeeper {
    private let core: AgentCore
    private let parts: BandParts
    private let reader: BandReader
    private let writer: BandWriter
    private let readiness: @LoopActor ([PlanContents]) async throws -> ReadinessReport
    /// Whether images are being made: a plan that is not ready now may be in a moment.
    private let isBusy: @LoopActor () -> Bool
    private let changed: @LoopActor ([LibraryChange]) -> Void
    private let surroundings: @LoopActor () -> Surroundings
    private let rounds: PacedHints
    private let settling: Alarm
    private let nextLook: Alarm
    private let nextWord: Alarm
    /// When this device last wrote its head.
    private var lastWord: Moment?
    /// Whether the next round is to read the others' heads, too.
    private var isLookDue = true
    /// When the place was last looked at, and found.
    private var lastLook: Moment?
    /// When others' marks last arrived: their pages are to be drawn anew, which may not have begun.
    private var lastArrival: Moment?
    private enum Errand { case look, word }
    /// Why nothing can be said there though all can be heard, and what did not arrive: both are tried ever more rarely.
    private var failures = Retries<Errand, String>(GrowingPause(first: .seconds(60), most: .seconds(3600)))
    /// Since when images have been made without a break.
    private var busySince: Moment?
    /// Why the place cannot be used, or not be written; `nil` if all is well.
    private(set) var trouble: String?
    private(set) var notYet = 0
    /// Since when a round has been going on.
    private var roundBegan: Moment?
    private var isGoingOn = false
    private var nextLookAt = Moment(nanoseconds: .max)

    init(
        _ core: AgentCore, _ parts: BandParts, readiness: @escaping @LoopActor ([PlanContents]) async throws -> ReadinessReport,
        isBusy: @escaping @LoopActor () -> Bool, changed: @escaping @LoopActor ([LibraryChange]) -> Void,
        surroundings: @escaping @LoopActor () -> Surroundings
    ) {
        (self.core, self.parts, self.readiness, self.isBusy, self.changed) = (core, parts, readiness, isBusy, changed)
        self.surroundings = surroundings
        let side = SideThread(inline: core.cache.side.isInline)
        reader = BandReader(
            library: core.library, carrier: parts.carrier, home: parts.home, time: core.time, log: core.log, side: side)
        writer = BandWriter(
            library: core.library, carrier: parts.carrier, reader: reader, home: parts.home, person: parts.person, name: parts.name,
            time: core.time, log: core.log, side: side)
        (settling, nextLook, nextWord) = (Alarm(core.time), Alarm(core.time), Alarm(core.time))
        rounds = PacedHints(time: core.time)
    }

    /// Decides how often a place without events is asked.
    struct Surroundings {
        /// Whether somebody looks at a chart.
        var isWatched: Bool
        var costs: PollRhythm.Costs
    }

    /// What is wrong, in sentences.
    var complaints: [String] {
        (reader.complaint.map { ["the band: \($0)"] } ?? []) + (slowness.map { ["the band: \($0); the marks that are here stay"] } ?? [])
            + ((trouble ?? failures[.word]?.reason).map { ["the band: \($0); the marks that are here stay"] } ?? []) + writer.complaints
            + (notYet > 0
                ? ["the band: \(notYet == 1 ? "1 layer" : "\(notYet) layers") of marks \(notYet == 1 ? "has" : "have") not arrived yet"]
                : [])
    }

    /// Reports that the place takes longer than it should in the present round.
    private var slowness: String? {
        guard trouble == nil, let roundBegan, core.time.now - roundBegan >= Self.slow else { return nil }
        return "\(parts.carrier.place) has not answered in full for \((core.time.now - roundBegan).components.seconds) seconds"
    }

    /// Whether no round is going on, or there is no need to wait any more after `end`.
    func isQuiet(asOf end: Moment?) -> Bool { rounds.isQuiet && !settling.isSet || end.map { core.time.now >= $0 } ?? false }

    func begin() {
        isGoingOn = true
        requestLook()
    }

    func end() {
        isGoingOn = false
        for alarm in [settling, nextLook, nextWord] { alarm.cancel() }
    }

    func quiet(until end: Moment?) async {
        guard let end else { return await quiet() }
        let (waiters, alarm) = (Waiters(), Alarm(core.time))
        spawn { [self] in
            await quiet()
            waiters.wake()
        }
        alarm.set(at: end) { waiters.wake() }
        await waiters.wait { isQuiet(asOf: end) }
        alarm.cancel()
    }

    private func quiet() async {
        if settling.isSet {
            settling.cancel()
            requestLook()
        }
        await rounds.quiet()
    }

    // MARK: - Hints

    func follow(_ event: FileEvent) {
        let path =
            switch event {
            case .written(let path), .removed(let path), .folderRemoved(let path), .rescan(let path): path
            }
        guard isGoingOn, path == parts.carrier.place || path.utf8.starts(with: (parts.carrier.place + "/").utf8) else { return }
        switch event {
        case .written: break
        case .removed: if path.contains(parts.home.current) { writer.doubtOwn() }
        // Names may have been missed.
        case .folderRemoved, .rescan:
            parts.carrier.doubt()
            writer.doubtOwn()
        }
        // A sync program writes a head and its objects one after the other; and constant changes are not followed one by one.
        if !settling.isSet { settling.set(in: Self.settle) { [weak self] in self?.requestLook(patiently: true) } }
    }

    /// Something here may have changed that the band is to learn.
    func noteOwnChange() {
        guard isGoingOn else { return }
        // A server in trouble is asked in its own time, and gets this then.
        if trouble != nil, !parts.carrier.canList, nextLook.isSet { return }
        let wait = lastWord.map { $0 + Self.pause - core.time.now } ?? .zero
        // In a folder on a network, there are no events for the others' changes.
        guard wait > .zero else { return parts.carrier.canList && parts.isSilent() ? requestLook() : speakSoon() }
        if !nextWord.isSet { nextWord.set(in: wait) { [weak self] in self?.speakSoon() } }
    }

    /// A chart is on a screen: its new marks are wanted now.
    func noteWatched() {
        guard isGoingOn, !parts.carrier.canList, trouble == nil else { return }
        let isLookedAtSoon = lastLook.map { core.time.now - $0 < Self.whileWatched } ?? true
        if !isLookedAtSoon, core.time.now + Self.whileWatched < nextLookAt { planLook(in: .zero) }
    }

    /// The others' heads need not be read again for that.
    private func speakSoon() {
        guard isGoingOn, !core.ending.hasBegun else { return }
        rounds.hint { [weak self] in await self?.round() }
    }

    func requestLook(patiently isPatient: Bool = false) {
        guard isGoingOn, !core.ending.hasBegun else { return }
        isLookDue = true
        if isPatient {
            rounds.hintPatiently { [weak self] in await self?.round() }
        } else {
            rounds.hint { [weak self] in await self?.round() }
        }
    }

    // MARK: - One round

    private func round() async {
        guard isGoingOn, !core.ending.hasBegun else { return }
        roundBegan = core.time.now
        defer { roundBegan = nil }
        do {
            let isRecent = lastLook.map { core.time.now - $0 < Self.heardFor } ?? false
            guard isLookDue || !isRecent || trouble != nil else {
                if try await speak() { core.listeners.report(.bandSpoke) }
                return
            }
            isLookDue = false
            let outcome = try await reader.readBand()
            lastLook = outcome.trouble == nil ? core.time.now : nil
            if outcome.moved > 0 {
                failures.forget(.look)
                lastArrival = core.time.now
            }
            notYet = outcome.notYet
            note(outcome.trouble?.description)
            if !outcome.changes.isEmpty { changed(outcome.changes) }
            if outcome.moved > 0 { core.look.soon() }
            let hasSpoken = outcome.trouble == nil ? try await speak() : false
            if outcome.isNews || hasSpoken { core.listeners.report(.bandSpoke) }
            if outcome.hasMore { return planLook(in: .seconds(2)) }
            // Devices that come at the same time overwrite each other at the door; their next looks are spread.
            if writer.takeNewDoor() { return planLook(in: .seconds(3 + parts.home.current.utf8.reduce(0) { ($0 + Int($1)) % 12 })) }
            planNextLook(isSoon: outcome.isCutShort || outcome.notYet > 0 || outcome.trouble != nil)
        } catch {
            guard !core.library.isLeft, !core.ending.hasBegun else { return }
            note("\(error)")
            planNextLook(isSoon: true)
        }
    }

    private func note(_ trouble: String?) {
        if let trouble, trouble != self.trouble { core.log.warning("the band: \(trouble); the marks that are here stay") }
        self.trouble = trouble
    }

    /// Nothing can be said for now: whoever may only read still hears the others.
    private func noteSilence(_ why: String) {
        let isNews = failures.note(why, of: .word, at: core.time.now)
        if isNews { core.log.warning("the band: \(why); the marks that are here stay") }
        if let until = failures[.word]?.until { nextWord.set(at: until) { [weak self] in self?.speakSoon() } }
    }

    /// Returns whether there was anything to write.
    private func speak() async throws -> Bool {
        guard !core.library.isOnlyInMemory else { return false }
        if let lastWord, core.time.now - lastWord < Self.pause {
            noteOwnChange()
            return false
        }
        guard failures.mayTry(.word, at: core.time.now) else { return false }
        let word = try await word()
        let former = lastWord
        // Failures are not repeated all the time, either.
        lastWord = core.time.now
        do {
            let isNew = try await writer.write(word.plans, asOf: word.asOf)
            failures.forget(.word)
            guard isNew else {
                lastWord = former
                return false
            }
        } catch let error as Trouble {
            noteSilence("\(error)")
            return false
        }
        // After leaving, nothing of the others is shown.
        let taken = try core.library.band.removeUnshared(at: core.now)
        if taken.count > 0 { core.look.soon() }
        return true
    }

    /// Without events, only looking helps; and missing files are asked for again.
    private func planNextLook(isSoon: Bool) {
        let isPlanNear =
            (try? core.wants.listedPlans(now: core.now).contains {
                ($0.plan.mainTime.map { $0 - core.now < Self.near } ?? false) && !$0.plan.isPast(at: core.now)
            }) ?? false
        // What does not arrive is asked for ever more rarely.
        if isSoon { failures.note(trouble ?? "not all has arrived", of: .look, at: core.time.now) } else { failures.forget(.look) }
        let regular: Duration = isPlanNear && parts.isSilent() ? .seconds(60) : .seconds(3600)
        let rest = failures[.look].map { min($0.until - core.time.now, regular) } ?? regular
        guard !parts.carrier.canList else {
            return planLook(in: rest) { [carrier = parts.carrier] in carrier.doubt() }
        }
        let now = surroundings()
        planLook(in: (trouble == nil && now.isWatched ? Self.whileWatched : rest) * now.costs.factor)
    }

    private func planLook(in wait: Duration, first prepare: @escaping @LoopActor () -> Void = {}) {
        nextLookAt = core.time.now + wait
        nextLook.set(in: wait) { [weak self] in
            prepare()
            self?.requestLook()
        }
    }

    // MARK: - Readiness

    func words() throws(LibraryError) -> [BandHead] { try writer.word.words() }

    /// The readiness of the next plans, to be reported.
    private func word() async throws -> (plans: [BandHead.Readiness], asOf: Timestamp?) {
        let coming = try core.wants.listedPlans(in: core.settings.scope, now: core.now).filter { !$0.plan.isPast(at: core.now) }
        let next = coming.filter { $0.plan.mainTime.map { $0 <= core.now + BandHead.ahead } ?? false }
            .sorted { ($0.plan.mainTime ?? core.now, $0.plan.id) < ($1.plan.mainTime ?? core.now, $1.plan.id) }
        let former = try writer.word.own()?.head
        // While somebody draws, everybody's pages are made again, and nobody wants a report of that each time.
        let isArriving = lastArrival.map { core.time.now - $0 < Self.pause } ?? false
        busySince = isArriving || isBusy() ? busySince ?? core.time.now : nil
        if let former, !former.readiness.isEmpty, let busySince, core.time.now - busySince < Self.patience {
            nextWord.set(in: Self.pause) { [weak self] in self?.speakSoon() }
            return (former.readiness, former.asOf)
        }
        return try await BandWord.readiness(
            readiness(Array(next.prefix(Self.mostPlans))), former: former, opened: core.library.band.openedPlans())
    }

    private static let slow: Duration = .seconds(5)
    private static let settle: Duration = .milliseconds(200)
    /// The least time between two writes: a sync program takes seconds for each file.
    private static let pause: Duration = .seconds(10)
    /// Between two looks while a chart is on a screen.
    private static let whileWatched: Duration = .seconds(5)
    /// How long the last look is trusted.
    private static let heardFor: Duration = .seconds(3600)
    private static let patience: Duration = .seconds(120)
    private static let near: Duration = .seconds(2 * 86_400)
    /// A head with fewer plans than this has all of them.
    private static let mostPlans = BandHead.mostPlans
}
