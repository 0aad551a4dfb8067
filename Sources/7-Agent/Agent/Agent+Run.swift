public import BandLayout
public import Catalogue
import Freshness
import ImageKeeping
import Library
public import Marks
public import Model
import PageCache
public import Platform
import Rendering
public import Sync
import Watching

/// The requests that an agent accepts.
extension Agent {
    // MARK: - Listeners

    /// Sets the function that is called whenever the numbers in `progress` may have changed; `nil` removes it.
    public func onProgress(_ body: (@LoopActor (Progress) -> Void)?) { core.listeners.onProgress = body }

    /// Sets the function that is called with a poll's changes as soon as they are in the library.
    public func onChanges(_ body: (@LoopActor ([LibraryChange]) -> Void)?) { core.listeners.onChanges = body }

    /// Sets the function that is called with news for viewers.
    public func onNews(_ body: (@LoopActor (AgentNews) -> Void)?) { core.listeners.onNews = body }

    /// Sets the function that is called when the catalogue is no longer in its place. The function leaves the library and starts
    /// another agent in place of this one. If it throws, it is called again at the next reconcile run or poll.
    public func onAstray(_ body: @escaping @LoopActor () throws(LibraryError) -> Void) { core.listeners.onAstray = body }

    // MARK: - Polling

    /// Requests from the service what the coming plans need, and stores the answers. Failed requests leave the library unchanged.
    ///
    /// Ends early with `isCancelled` when its task is cancelled or the agent stops; waits while the agent is paused.
    public func poll(_ scope: PollScope = .everything) async -> PollOutcome { await polling.polls.poll(scope) }

    /// Where all plans come from: `.sets` without an account, and `.service` also if there are sets besides.
    public var source: PlanSource { core.service == nil ? .sets : .service }

    /// The time since which the service has not answered; `nil` while it answers, and before the first request.
    public var offlineSince: Timestamp? { polling.polls.offlineSince }

    /// Polls now and from then on regularly; notices when the machine wakes up, finds a network or has its clock set.
    ///
    /// `afterPoll` is called after each of these polls that was not cancelled, one call at a time; the next poll does not wait for it.
    public func beginPolling(in surroundings: any Surroundings, afterPoll: @escaping @LoopActor (PollOutcome) async -> Void) {
        polling.begin(in: surroundings, afterPoll: afterPoll)
    }

    public var pollState: PollClock.State? { polling.state }

    public func noteNewToken() { polling.noteNewToken() }

    // MARK: - Keeping

    /// Maintains the cache until the agent stops: notices files that other programs remove, and checks everything once an hour.
    ///
    /// If the watcher cannot be started, only the hourly checks remain.
    public func beginUpkeep() {
        core.upkeep.begin { [core, markKeeper] in
            core.cache.doubtAll()
            markKeeper.requestLook()
        }
        band?.begin()
        do throws(SystemError) {
            try core.parts.fileEvents?.start { [weak self] event in self?.follow(event) }
        } catch {
            core.log.warning("changes in the page cache and in your mark files are noticed only within the hour: \(error)")
        }
    }

    private func follow(_ event: FileEvent) {
        markKeeper.follow(event)
        polling.polls.sets?.follow(event)
        band?.follow(event)
        if polling.catalogue.isReplaced(by: event) { reconcile() }
        switch event {
        case .written: break
        // After missed events, too, the cache only checks whether a known file is gone.
        case .removed(let path), .folderRemoved(let path), .rescan(let path):
            if core.cache.noteRemoved(path: path) { reconcile() }
        }
    }

    /// The state of the mark folders when they were last read.
    public var markFolders: MarkFolders { markKeeper.folders }

    /// Takes over a mark file as this program wrote it.
    package func receive(_ reading: MarkReading) { markKeeper.receive(reading) }

    /// The mark files that the log has reported as unreadable.
    package var warnedMarks: Set<String> { markKeeper.warned }

    /// Notes that another process changed the library: reads the library, the mark folders and the band again, looks for charts for
    /// mark files that had none, and has the next poll try all failed downloads again.
    public func noteChange() {
        // A person may have confirmed that missing files, or newer states of other devices, are gone for good.
        markKeeper.requestLook()
        polling.downloads.forgive()
        markKeeper.matchAgain()
        band?.requestLook()
        reconcile()
    }

    /// Whether the musician plays in a band.
    public var playsInBand: Bool { band != nil }

    /// The last heads of the band's devices; empty without a band.
    public func bandWords() throws(LibraryError) -> [BandHead] { try band?.words() ?? [] }

    /// Tells the band where this agent can be reached on its network, for those who turn together.
    public func noteReachable(at addresses: [String]) { band?.noteReachable(at: addresses) }

    /// Notes that the set of marks to share with the band has changed.
    public func noteShares() { band?.noteOwnChange() }

    /// Reports what happened to the catalogue when the library was opened.
    public func noteOpening() { polling.catalogue.noteOpening() }

    /// Backs up the catalogue if a backup is due. A failure is logged, and the next call tries again.
    public func backUpCatalogue() async { await polling.catalogue.backUp() }

    /// Frees memory that is used only for speed, since the system is short of memory.
    public func easeMemory() {
        memory.empty()
        core.renderer.rest()
        ProcessMemory.giveBack()
    }

    // MARK: - Pausing

    /// Holds back polls, downloads and all rendering ahead. Running work is finished, except for the renderer's work outside its
    /// queue (`sideWork`), which is cancelled and done later. A page that a screen waits for is still drawn, but not the pages
    /// after it.
    ///
    /// With a duration, the pause ends by itself after that time, even if the machine slept. Without one, only `resume` ends it. A
    /// second pause replaces the first.
    public func pause(for duration: Duration? = nil) { pause(PauseTerm(deadline: duration.map { core.time.now + $0 })) }

    /// Continues the pause of an agent that this one replaces.
    public func pause(_ term: PauseTerm) {
        pause.begin(term) { [weak self] in self?.resume() }
        precedence.hold(.pause)
        precedence.breakOffSideWork()
        core.listeners.report(.paused)
    }

    /// Ends the pause, and starts the work that was held back.
    public func resume() {
        pause.end()
        precedence.release(.pause)
        core.listeners.report(.paused)
        // Reconcile runs during the pause left out images that could not be drawn.
        core.look.soon()
    }

    public var isPaused: Bool { pause.isOn }

    /// The pause, for the agent that replaces this one; `nil` if there is none.
    public var pauseTerm: PauseTerm? { pause.term }

    /// When the pause ends by itself; `nil` if there is no pause, or it has no end.
    public var pausedUntil: Timestamp? { pause.rest.map { core.now + $0 } }

    // MARK: - Ending

    /// Waits until all scheduled work is done and no rendering is left. During a pause, returns only after the pause has ended.
    /// Waits for the band for at most `bandPatience`, since the band's folder or server may not answer; `nil` sets no limit.
    public func settled(bandPatience: Duration? = nil) async {
        let end = bandPatience.map { core.time.now + $0 }
        while !(markKeeper.isQuiet && polling.tidying?.isQuiet ?? true && core.look.isQuiet && showing.isIdle && maker.queue.isIdle
            && counter.isIdle && comparer.isIdle && planPDFs?.isQuiet ?? true && polling.polls.sets?.isLooking != true
            && band?.isQuiet(asOf: end) ?? true)
        {
            await showing.idle()
            await markKeeper.quiet()
            await polling.tidying?.quiet()
            await core.look.quiet()
            await counter.idle()
            await maker.queue.idle()
            await comparer.idle()
            await planPDFs?.quiet()
            await polling.polls.sets?.quiet()
            await band?.quiet(until: end)
        }
    }

    /// Ends the agent without waiting for its work, which may hang: saves what must be saved, and abandons the rest.
    public func leave() {
        guard !core.library.isClosed else { return }
        let renderer = core.renderer
        spawn { await renderer.stop() }
        keep()
    }

    private func keep() {
        keeper.flush()
        do {
            if !core.library.isLeft { try core.library.keepLastPoll() }
        } catch {
            core.log.warning("the time of the last full answer could not be recorded: \(error)")
        }
        core.library.close()
    }

    /// Stops the agent: cancels running work, and leaves nothing half-done.
    public func stop() async {
        polling.end()
        core.ending.begin()
        core.upkeep.end()
        band?.end()
        together.end()
        core.parts.fileEvents?.stop()
        pause.forgetDeadline()
        markKeeper.stop()
        await polling.polls.end()
        maker.queue.stop()
        showing.end()
        precedence.end()
        planPDFs?.end()
        await core.renderer.stop()
        await settled()
        if !core.library.isClosed { keep() }
    }
}
