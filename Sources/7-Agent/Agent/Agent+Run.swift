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

    /// Sets the function that is called whenever the numbers in `progress` change; `nil` ends that.
    public func onProgress(_ body: (@LoopActor (Progress) -> Void)?) { core.listeners.onProgress = body }

    /// Sets the function that is called with the changes of a poll, as soon as they are in the library.
    public func onChanges(_ body: (@LoopActor ([LibraryChange]) -> Void)?) { core.listeners.onChanges = body }

    /// Sets the function that is called with news for a viewer.
    public func onNews(_ body: (@LoopActor (AgentNews) -> Void)?) { core.listeners.onNews = body }

    /// Sets the function that is called when the catalogue is not in its place any more: it leaves the library, and starts another agent in
    /// place of this one. If it throws, it is called again at the next look or poll.
    public func onAstray(_ body: @escaping @LoopActor () throws(LibraryError) -> Void) { core.listeners.onAstray = body }

    // MARK: - Polling

    /// Asks the service once for what the coming plans need, and keeps it. Whatever fails leaves what is here unchanged.
    ///
    /// Ends early with `isCancelled` when its task is cancelled or the agent stops; waits while the agent is paused.
    public func poll(_ scope: PollScope = .everything) async -> PollOutcome { await polling.polls.poll(scope) }

    /// Since when the service has not answered; `nil` while it answers, and before it was asked.
    public var offlineSince: Timestamp? { polling.polls.offlineSince }

    /// Asks the service now and from then on regularly; notices when the machine wakes up, finds a network or has its clock set.
    ///
    /// `afterPoll` is called after each of these polls, one call at a time; the next poll does not wait for it.
    public func beginPolling(in surroundings: any Surroundings, afterPoll: @escaping @LoopActor (PollOutcome) async -> Void) {
        polling.begin(in: surroundings, afterPoll: afterPoll)
    }

    public var pollState: PollClock.State? { polling.state }

    public func noteNewToken() { polling.noteNewToken() }

    // MARK: - Keeping

    /// Keeps the cache as it should be until the agent stops: notices what other programs remove, and checks everything now and then.
    ///
    /// If the watcher cannot be started, only the checks remain.
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
        band?.follow(event)
        if polling.catalogue.isReplaced(by: event) { reconcile() }
        switch event {
        case .written: break
        // If names may have been missed, the question is the same: is anything gone that we know of?
        case .removed(let path), .folderRemoved(let path), .rescan(let path):
            if core.cache.noteRemoved(path: path) { reconcile() }
        }
    }

    /// The state of the mark folders when they were last looked at.
    public var markFolders: MarkFolders { markKeeper.folders }

    /// Takes a mark file as it was written here.
    package func receive(_ reading: MarkReading) { markKeeper.receive(reading) }

    /// The mark files of which the log said that they cannot be read.
    package var warnedMarks: Set<String> { markKeeper.warned }

    /// Notes that another process changed the library: looks at it again, and for charts for the mark files that had none.
    public func noteChange() {
        // A person may have confirmed that missing files, or the newer states of others, are gone for good.
        markKeeper.requestLook()
        polling.downloads.forgive()
        markKeeper.matchAgain()
        band?.requestLook()
        reconcile()
    }

    /// Whether the musician plays in a band.
    public var playsInBand: Bool { band != nil }

    /// The last heads of the band's devices; none without a band.
    public func bandWords() throws(LibraryError) -> [BandHead] { try band?.words() ?? [] }

    /// Notes that other marks are to be shared with the band than before.
    public func noteShares() { band?.noteOwnChange() }

    /// Notes what happened to the catalogue when the library was opened.
    public func noteOpening() { polling.catalogue.noteOpening() }

    /// Makes a backup of the catalogue if one is due. A failure is reported, and the backup is tried again the next time.
    public func backUpCatalogue() async { await polling.catalogue.backUp() }

    /// Frees what is kept only for speed, since the system is short of memory.
    public func easeMemory() {
        memory.empty()
        core.renderer.rest()
        ProcessMemory.giveBack()
    }

    // MARK: - Pausing

    /// Holds back polls, downloads and everything that is rendered ahead: nothing new begins. Running work is finished, and a page that a
    /// screen waits for is still drawn; the pages after it are not.
    ///
    /// With a duration, the pause ends by itself when that has passed, even if the machine slept meanwhile; without one, only `resume` ends
    /// it. A second pause replaces the first.
    public func pause(for duration: Duration? = nil) { pause(PauseTerm(deadline: duration.map { core.time.now + $0 })) }

    /// Continues the pause of an agent that this one replaces.
    public func pause(_ term: PauseTerm) {
        pause.begin(term) { [weak self] in self?.resume() }
        precedence.hold(.pause)
        precedence.breakOffSideWork()
        core.listeners.report(.paused)
    }

    /// Lets everything begin again, including what was held back.
    public func resume() {
        pause.end()
        precedence.release(.pause)
        core.listeners.report(.paused)
        // A look during the pause left out what could not be drawn again then.
        core.look.soon()
    }

    public var isPaused: Bool { pause.isOn }

    /// The pause, for the agent that replaces this one; `nil` if there is none.
    public var pauseTerm: PauseTerm? { pause.term }

    /// When the pause ends by itself; `nil` if there is none, or it has no end.
    public var pausedUntil: Timestamp? { pause.rest.map { core.now + $0 } }

    // MARK: - Ending

    /// Waits until every hint has been followed and nothing waits to be rendered. This waits for the end of a pause, too; but for the band
    /// at most `bandPatience`, since its place may not answer.
    public func settled(bandPatience: Duration? = nil) async {
        let end = bandPatience.map { core.time.now + $0 }
        while !(markKeeper.isQuiet && polling.tidying?.isQuiet ?? true && core.look.isQuiet && showing.isIdle && maker.queue.isIdle
            && counter.isIdle && comparer.isIdle && planPDFs?.isQuiet ?? true && band?.isQuiet(asOf: end) ?? true)
        {
            await showing.idle()
            await markKeeper.quiet()
            await polling.tidying?.quiet()
            await core.look.quiet()
            await counter.idle()
            await maker.queue.idle()
            await comparer.idle()
            await planPDFs?.quiet()
            await band?.quiet(until: end)
        }
    }

    /// Ends though something that `stop` waits for has not: keeps what must be kept, and leaves the rest behind.
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

    /// Stops the work: whatever is running is broken off, and nothing half-done remains.
    public func stop() async {
        polling.end()
        core.ending.begin()
        core.upkeep.end()
        band?.end()
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
