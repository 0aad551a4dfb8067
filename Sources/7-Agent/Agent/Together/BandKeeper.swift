import Band
public import BandLayout
public import Catalogue
import Freshness
import ImageKeeping
import Library
import Model
import PageCache
public import Platform
import Readiness
import Sync

/// A band that an agent takes part in: its folder or server, and this device's name in it.
public struct BandParts {
    let carrier: any BandCarrier
    let home: HomeID
    let person: String
    /// The device's name for people.
    let name: String
    /// Whether changes in the band's folder cause no events at present: it may be on a network disk that was mounted later.
    let isSilent: @Sendable () -> Bool
    /// The way to other agents on the network; `nil` if this device does not turn pages together with them.
    let together: (any HTTPTransport)?

    public init(
        carrier: any BandCarrier, home: HomeID, person: String, name: String, isSilent: @escaping @Sendable () -> Bool = { false },
        together: (any HTTPTransport)? = nil
    ) {
        (self.carrier, self.home, self.person, self.name, self.isSilent) = (carrier, home, person, name, isSilent)
        self.together = together
    }

    /// The way to the agents of the band; `nil` if this device does not turn pages together with them.
    @LoopActor
    func line(_ core: AgentCore) -> TogetherLine? {
        together.map { transport in
            TogetherLine(person: person, transport: transport, time: core.time, log: core.log) { [library = core.library, home] in
                guard let team = try? library.band.team(), let key = home.key(of: home.current),
                    let members = try? library.band.members()
                else { return nil }
                return TogetherLine.Band(
                    team: team, key: key,
                    members: members.filter { !$0.isLeftOut && !$0.isFormer && !$0.hasLeft }
                        .map { TogetherLine.Peer(device: $0.device, addresses: $0.head.addresses) })
            }
        }
    }
}

/// Synchronises with the band: reads the others' reports and marks, and writes those of this device.
///
/// Events of the band's folder and of the library are only hints. Each round reads everything new in the band, if that is due, and
/// then writes everything new on this device.
@LoopActor
final class BandKeeper {
    private let core: AgentCore
    private let parts: BandParts
    private let reader: BandReader
    private let writer: BandWriter
    private let readiness: @LoopActor ([PlanContents]) async throws -> ReadinessReport
    /// Whether images are being made: a plan that is not ready may soon be.
    private let isBusy: @LoopActor () -> Bool
    private let changed: @LoopActor ([LibraryChange]) -> Void
    private let surroundings: @LoopActor () -> Surroundings
    /// Makes plans of the sets that others share.
    private let sets: @LoopActor () -> SetKeeper?
    /// How many charts of these had arrived when the band was last read.
    private var chartsArrived = 0
    private let rounds: PacedHints
    private let settling: Alarm
    private let nextLook: Alarm
    private let nextWord: Alarm
    /// When this device last wrote its head.
    private var lastWord: Moment?
    /// Whether the next round also reads the others' heads.
    private var isLookDue = true
    /// When the band's folder or server was last read; `nil` after a failure.
    private var lastLook: Moment?
    /// When others' marks last arrived: the redrawing of their pages may not have started.
    private var lastArrival: Moment?
    private enum Errand { case look, word }
    /// Failures to write although reading works, and marks that did not arrive. Both are retried ever more rarely.
    private var failures = Retries<Errand, String>(GrowingPause(first: .seconds(60), most: .seconds(3600)))
    /// Since when images have been made without interruption.
    private var busySince: Moment?
    /// Why the band's folder or server cannot be used; `nil` if all is well.
    private(set) var trouble: String?
    private(set) var notYet = 0
    /// When the current round began; `nil` between rounds.
    private var roundBegan: Moment?
    private var isGoingOn = false
    private var nextLookAt = Moment(nanoseconds: .max)

    init(
        _ core: AgentCore, _ parts: BandParts, readiness: @escaping @LoopActor ([PlanContents]) async throws -> ReadinessReport,
        isBusy: @escaping @LoopActor () -> Bool, changed: @escaping @LoopActor ([LibraryChange]) -> Void,
        surroundings: @escaping @LoopActor () -> Surroundings, sets: @escaping @LoopActor () -> SetKeeper?
    ) {
        (self.core, self.parts, self.readiness, self.isBusy, self.changed) = (core, parts, readiness, isBusy, changed)
        (self.surroundings, self.sets) = (surroundings, sets)
        let side = SideThread(inline: core.cache.side.isInline)
        reader = BandReader(
            library: core.library, carrier: parts.carrier, home: parts.home, time: core.time, log: core.log, side: side)
        writer = BandWriter(
            library: core.library, carrier: parts.carrier, reader: reader, home: parts.home, person: parts.person, name: parts.name,
            time: core.time, log: core.log, side: side)
        (settling, nextLook, nextWord) = (Alarm(core.time), Alarm(core.time), Alarm(core.time))
        rounds = PacedHints(time: core.time)
    }

    /// The circumstances that decide how often to read a server, which sends no events.
    struct Surroundings {
        /// Whether somebody is watching a chart.
        var isWatched: Bool
        var costs: PollRhythm.Costs
    }

    /// The present problems, as sentences.
    var complaints: [String] {
        (reader.complaint.map { ["the band: \($0)"] } ?? []) + (slowness.map { ["the band: \($0); the marks that are here stay"] } ?? [])
            + ((trouble ?? failures[.word]?.reason).map { ["the band: \($0); the marks that are here stay"] } ?? []) + writer.complaints
            + (notYet > 0
                ? ["the band: \(notYet == 1 ? "1 layer" : "\(notYet) layers") of marks \(notYet == 1 ? "has" : "have") not arrived yet"]
                : [])
    }

    /// A report that the band's folder or server is slow in the current round; `nil` if it is not.
    private var slowness: String? {
        guard trouble == nil, let roundBegan, core.time.now - roundBegan >= Self.slow else { return nil }
        return "\(parts.carrier.place) has not answered in full for \((core.time.now - roundBegan).components.seconds) seconds"
    }

    /// Whether no round is running or pending, or the time `end` has passed.
    func isQuiet(asOf end: Moment?) -> Bool { rounds.isQuiet && !settling.isSet || end.map { core.time.now >= $0 } ?? false }

    func begin() {
        isGoingOn = true
        sets()?.fetchShared = { [reader] device, bytes, length in await reader.chart(bytes, of: device, length: length) }
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

    // MARK: - Turning together

    /// Has this device's head say where its agent can be reached, if it turns pages together with others.
    func noteReachable(at addresses: [String]) {
        guard parts.together != nil, writer.addresses != addresses else { return }
        writer.addresses = addresses
        noteOwnChange()
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
        // Events may have been missed, so have everything checked again.
        case .folderRemoved, .rescan:
            parts.carrier.doubt()
            writer.doubtOwn()
        }
        // A sync program writes a head and its objects one after another, so wait briefly; under constant changes, do not follow each one.
        if !settling.isSet { settling.set(in: Self.settle) { [weak self] in self?.requestLook(patiently: true) } }
    }

    /// Notes a change on this device that the band may need to know.
    func noteOwnChange() {
        guard isGoingOn else { return }
        // A server in trouble is retried at planned times. The change is written at the next of these times.
        if trouble != nil, !parts.carrier.canList, nextLook.isSet { return }
        let wait = lastWord.map { $0 + Self.pause - core.time.now } ?? .zero
        // In a folder on a network, others' changes cause no events, so read it as well.
        guard wait > .zero else { return parts.carrier.canList && parts.isSilent() ? requestLook() : speakSoon() }
        if !nextWord.isSet { nextWord.set(in: wait) { [weak self] in self?.speakSoon() } }
    }

    /// Notes that a chart is on a screen: others' new marks on it are wanted soon.
    func noteWatched() {
        guard isGoingOn, !parts.carrier.canList, trouble == nil else { return }
        let isLookedAtSoon = lastLook.map { core.time.now - $0 < Self.whileWatched } ?? true
        if !isLookedAtSoon, core.time.now + Self.whileWatched < nextLookAt { planLook(in: .zero) }
    }

    /// Schedules a write. A write alone does not make the device read the others' heads again if they were read within `headsCountAsRead`.
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
            let isRecent = lastLook.map { core.time.now - $0 < Self.headsCountAsRead } ?? false
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
            let lacksCharts = followSets(outcome)
            let hasSpoken = outcome.trouble == nil ? try await speak() : false
            if outcome.isNews || hasSpoken { core.listeners.report(.bandSpoke) }
            if outcome.hasMore { return planLook(in: .seconds(2)) }
            // Devices that join at the same time overwrite each other at the door, so their next reads are spread out.
            if writer.takeNewDoor() { return planLook(in: .seconds(3 + parts.home.current.utf8.reduce(0) { ($0 + Int($1)) % 12 })) }
            planNextLook(isSoon: outcome.isCutShort || lacksCharts || outcome.notYet > 0 || outcome.trouble != nil)
        } catch {
            guard !core.library.isLeft, !core.ending.hasBegun else { return }
            note("\(error)")
            planNextLook(isSoon: true)
        }
    }

    /// Has plans made of the sets that others share. Returns whether charts of them may have to be fetched again.
    private func followSets(_ outcome: BandReader.Outcome) -> Bool {
        guard let sets = sets() else { return false }
        if sets.arrivals != chartsArrived { failures.forget(.look) }
        chartsArrived = sets.arrivals
        guard outcome.hasOtherSets || sets.lacksShared else { return false }
        sets.requestLook()
        return true
    }

    private func note(_ trouble: String?) {
        if let trouble, trouble != self.trouble { core.log.warning("the band: \(trouble); the marks that are here stay") }
        self.trouble = trouble
    }

    /// Notes that nothing can be written for now. Reading goes on: some members may only read.
    private func noteSilence(_ why: String) {
        let isNews = failures.note(why, of: .word, at: core.time.now)
        if isNews { core.log.warning("the band: \(why); the marks that are here stay") }
        if let until = failures[.word]?.until { nextWord.set(at: until) { [weak self] in self?.speakSoon() } }
    }

    /// Writes this device's head if it has changed, unless the last write was a moment ago or failed. Returns whether it was written.
    private func speak() async throws -> Bool {
        guard !core.library.isOnlyInMemory else { return false }
        if let lastWord, core.time.now - lastWord < Self.pause {
            noteOwnChange()
            return false
        }
        guard failures.mayTry(.word, at: core.time.now) else { return false }
        let word = try await word()
        let former = lastWord
        // A failed write counts, too, so that failures are not repeated all the time.
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
        // A device that has left the band must show nothing of the others.
        let taken = try core.library.band.removeUnshared(at: core.now)
        if taken.count > 0 { core.look.soon() }
        return true
    }

    /// Plans the next read: there may be no events, and missing files have to be requested again.
    private func planNextLook(isSoon: Bool) {
        let isPlanNear =
            (try? core.wants.listedPlans(now: core.now).contains {
                ($0.plan.mainTime.map { $0 - core.now < Self.near } ?? false) && !$0.plan.isPast(at: core.now)
            }) ?? false
        // Missing files are requested ever more rarely.
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

    /// The readiness of the next plans, for the report.
    private func word() async throws -> (plans: [BandHead.Readiness], asOf: Timestamp?) {
        let coming = try core.wants.listedPlans(in: core.settings.scope, now: core.now).filter { !$0.plan.isPast(at: core.now) }
        let next = coming.filter { $0.plan.mainTime.map { $0 <= core.now + BandHead.ahead } ?? false }
            .sorted { ($0.plan.mainTime ?? core.now, $0.plan.id) < ($1.plan.mainTime ?? core.now, $1.plan.id) }
        let former = try writer.word.own()?.head
        // While somebody draws, everybody's pages are redrawn constantly, and reporting that each time would help nobody.
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
    /// The least time between two writes: a sync program takes several seconds for each file.
    private static let pause: Duration = .seconds(10)
    /// The time between two reads while a chart is on a screen.
    private static let whileWatched: Duration = .seconds(5)
    /// How long the others' heads count as read, so that a write alone does not read them again.
    private static let headsCountAsRead: Duration = .seconds(3600)
    private static let patience: Duration = .seconds(120)
    private static let near: Duration = .seconds(2 * 86_400)
    /// The most plans in a head; a head with fewer plans has all of them.
    private static let mostPlans = BandHead.mostPlans
}
