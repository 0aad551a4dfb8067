import Freshness
import ImageKeeping
import Library
import Marks
import Model
import PageCache
import Platform
import Rendering
import Sync

/// Decides when to poll the service, by power, network and the next plan, and what the agent does with the answers.
@LoopActor
final class Polling: SyncEvents {
    private let core: AgentCore
    private let marks: MarkKeeper
    private let counter: ChartCounter
    private let maker: PageMaker
    private let gate: Gate
    let tidying: Tidying?
    private var clock: PollClock?
    private var afterPolls: AfterPolls?
    private var surroundings: (any Surroundings)?
    /// The costs of power and network, as last checked.
    private var conditions = MachineConditions()
    /// How many plans the current poll has read, and how many it reads in all.
    private(set) var plansToRead = (done: 0, all: 0)
    /// The end of the last poll that confirmed the time, by the wall clock and by a clock that nobody can set; `nil` if the last
    /// poll that was not cancelled did not confirm it.
    private var confirmed: (now: Timestamp, moment: Moment)?

    private(set) lazy var catalogue = CatalogueWatch(
        core.library, time: core.time, log: core.log, isInline: core.cache.side.isInline, ending: core.ending
    ) { [listeners = core.listeners] () throws(LibraryError) in try listeners.onAstray?() }
    private(set) lazy var polls = Polls(
        SyncParts(
            library: core.library, service: core.service, sets: core.settings.sets, renderer: core.renderer, songs: core.songs,
            time: core.time, log: core.log,
            side: core.cache.side, wants: core.wants, look: core.look, catalogue: catalogue, sideWork: core.sideWork, gate: gate,
            ahead: core.settings.ahead, scope: core.settings.scope, asked: core.settings.asked, width: core.settings.downloads,
            render: core.settings.render, events: self))

    /// `gate` is closed during a pause.
    init(_ core: AgentCore, marks: MarkKeeper, counter: ChartCounter, maker: PageMaker, gate: Gate) {
        (self.core, self.marks, self.counter, self.maker, self.gate) = (core, marks, counter, maker, gate)
        tidying = core.settings.tidying.map { Tidying(core, $0, marks: marks) }
    }

    var downloads: ChartDownloads { polls.downloads }

    /// Whether the last poll confirmed the time, and nobody has set the clock by more than a minute since then.
    var isTimeTrusted: Bool {
        guard let confirmed else { return false }
        let drift = (core.now - confirmed.now) - (core.time.now - confirmed.moment)
        return (.seconds(-60) ... .seconds(60)).contains(drift)
    }

    // MARK: - The rhythm

    var state: PollClock.State? { clock?.state }

    /// Polls now, and from then on regularly; notices when the machine wakes up, finds a network or has its clock set.
    func begin(in surroundings: any Surroundings, afterPoll: @escaping @LoopActor (PollOutcome) async -> Void) {
        self.surroundings = surroundings
        afterPolls = AfterPolls(afterPoll)
        let clock = PollClock(
            core.settings.rhythm, time: core.time, conditions: { [weak self] in await self?.lookAround() ?? MachineConditions() },
            plans: { [core] in (try? core.wants.listedPlans(now: core.now).map(\.plan)) ?? [] },
            poll: { [polls] in _ = await polls.poll(PollScope(isRequested: false)) })
        self.clock = clock
        surroundings.start { [weak self] event in self?.receive(event) }
        clock.begin()
    }

    func end() {
        clock?.end()
        clock = nil
        surroundings?.stop()
        surroundings = nil
    }

    func noteNewToken() { clock?.noteNewToken() }

    private func receive(_ event: MachineEvent) {
        core.log.debug("the machine: \(event)")
        // While the machine slept, disks and folders may have changed, and inotify's events were missed.
        if event == .wokeUp {
            core.cache.doubtAll()
            marks.requestLook()
            polls.sets?.requestLook()
        }
        // Determine the wanted images again: after a sleep or a clock jump, other plans may be coming, and a new network may bring
        // back folders.
        core.look.soon()
        clock?.receive(event)
    }

    /// Adjusts to battery power, if the power source is known without waiting.
    func lookAtBattery() {
        if let surroundings { spareTheBattery(surroundings.isOnBattery) }
    }

    /// The costs of requests, as last checked.
    var costs: PollRhythm.Costs { PollRhythm.Costs(isOnBattery: conditions.isOnBattery, isMetered: conditions.isMetered) }

    private func lookAround() async -> MachineConditions {
        guard let surroundings else { return conditions }
        conditions = await surroundings.conditions()
        spareTheBattery(conditions.isOnBattery)
        return conditions
    }

    /// Uses half of the workers on battery, but at least one: work ahead is not urgent.
    private func spareTheBattery(_ isOnBattery: Bool) {
        let width = isOnBattery ? max(1, core.renderer.width / 2) : core.renderer.width
        if maker.queue.width != width { maker.queue.width = width }
    }

    // MARK: - The consequences

    func pollBegins(isRequested: Bool) {
        counter.hurry(isAsked: isRequested)
        guard isRequested else { return }
        maker.forgive()
        // Scan the mark folders: no event reports that a disk was mounted inside one of them.
        marks.requestLook()
    }

    func changed(_ changes: [LibraryChange]) {
        core.listeners.onChanges?(changes)
        // Mark files without a chart may match one now, even though their folders have not changed.
        marks.matchAgain()
    }

    func plansChanged() { marks.matchAgain() }

    func plansRead(_ done: Int, of all: Int) {
        plansToRead = (done, all)
        core.listeners.reportProgress()
    }

    func downloadsProgressed() { core.listeners.reportProgress() }

    func described(_ chart: ChartHash, as description: ChartDescription, by tag: RendererTag) throws {
        try counter.note(description, of: chart, by: tag)
    }

    func chartArrived(_ changes: [LibraryChange]) {
        if !changes.isEmpty { core.listeners.onChanges?(changes) }
        // Match mark files again: some may refer to the new chart by its hash.
        marks.matchAgain()
        core.look.patiently()
    }

    func pollEnded(_ outcome: PollOutcome, isRequested: Bool) {
        clock?.note(outcome)
        if !outcome.isCancelled { confirmed = outcome.isTrusted ? (core.now, core.time.now) : nil }
        tidying?.tidy(after: outcome, isRequested: isRequested)
        guard !outcome.isCancelled else { return }
        core.listeners.report(.polled)
        if !isRequested { afterPolls?.enqueue(outcome) }
    }
}
