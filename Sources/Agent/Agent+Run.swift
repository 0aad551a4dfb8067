import Freshness
import Keeping
public import Library
public import Marks
public import Model
import PageCache
public import Platform
import Rendering
public import Sync

/// What whoever runs an agent has it do.
extension Agent {
    // MARK: - Listening

    /// Has `body` called whenever the numbers that `progress` tells have changed; `nil` ends that.
    public func onProgress(_ body: (@LoopActor (Progress) -> Void)?) { listeners.hear(progress: body) }

    /// Has `body` called with what a poll has changed, as soon as the library has it.
    public func onChanges(_ body: (@LoopActor ([LibraryChange]) -> Void)?) { listeners.hear(changes: body) }

    /// Has `body` called with what those want to know who show what is kept ready.
    public func onNews(_ body: (@LoopActor (AgentNews) -> Void)?) { listeners.hear(news: body) }

    /// Has `body` called when the library is not there any more, or not ours.
    public func onTakenAway(_ body: (@LoopActor (LibraryError) -> Void)?) { listeners.hear(takenAway: body) }

    /// Has `body` asked whether nobody else works on the library by now, when its file has changed.
    public func askForLock(_ body: @escaping @LoopActor () -> Bool) { polling.catalogue.askForLock(body) }

    // MARK: - Polling

    /// Asks the service once for what the coming plans need, and keeps it. What fails leaves what is here as it is.
    ///
    /// Ends early with `isCancelled` when its task or, by `cancelPolls`, all polls are cancelled; waits while suspended.
    public func poll(_ scope: PollScope = .everything) async -> PollOutcome { await polling.polls.poll(scope) }

    /// Ends every poll at once, also one that is held. Each answers with `PollOutcome.isCancelled`.
    public func cancelPolls() { polling.polls.cancel() }

    /// Since when the service has not answered; `nil` while it does, and before it was asked.
    public var offlineSince: Timestamp? { polling.polls.offlineSince }

    /// Asks the service now, and from then on by the rhythm; sees when the machine wakes up, finds a network or has its clock set.
    ///
    /// `afterPoll` is called after each of these polls, one call at a time; the next poll does not wait for it.
    public func beginPolling(in surroundings: any Surroundings, afterPoll: @escaping @LoopActor (PollOutcome) async -> Void) {
        let afterPolls = AfterPolls(afterPoll)
        polling.regular.begin(in: surroundings) { [wants, parts] in
            (try? wants.plans(now: parts.now).map(\.plan)) ?? []
        } poll: { [polls = polling.polls] in
            let outcome = await polls.poll(PollScope(isRequested: false))
            if !outcome.isCancelled { afterPolls.take(outcome) }
        }
    }

    /// How polling by the rhythm stands; `nil` where it has not begun.
    public var pollState: PollClock.State? { polling.regular.state }

    /// Takes note that what holds the token was written.
    public func takeNewToken() { polling.regular.takeNewToken() }

    // MARK: - Keeping

    /// Keeps the cache as it should be until the end: sees what somebody else removes, and looks after it at a slow pace.
    ///
    /// Without the watcher, if it cannot be had, only the pace is left.
    public func beginUpkeep() {
        upkeep.begin(parts.time) { [parts, markKeeper, look] in
            parts.cache.doubtAll()
            markKeeper.look()
            look.soon()
        }
        do throws(SystemError) {
            try parts.fileEvents?.start { [weak self] event in self?.follow(event) }
        } catch {
            parts.log.warning("changes in the page cache and in your mark files are noticed only within the hour: \(error)")
        }
    }

    private func follow(_ event: FileEvent) {
        markKeeper.follow(event)
        if polling.catalogue.isReplaced(by: event) { reconcile() }
        switch event {
        case .written: break
        // Where names may have been missed it is the same question: is anything gone that we know of?
        case .removed(let path), .folderRemoved(let path), .rescan(let path):
            if parts.cache.noteRemoved(path: path) { reconcile() }
        }
    }

    /// Takes note of links to charts that were made or moved: files of marks may name them.
    public func noteLinks() { markKeeper.matchAgain() }

    /// How the folders of marks stood when they were last looked at.
    public var markFolders: MarkFolders { markKeeper.folders }

    /// Somebody else changed the library: looks at it anew, and for charts of files of marks that had none.
    public func noteChange() {
        // They may be files that are gone for good.
        if !markFolders.emptied.isEmpty { markKeeper.look() }
        polling.downloads.forgive()
        markKeeper.matchAgain()
        reconcile()
    }

    /// Takes note of what became of the catalogue when the library was opened.
    public func noteOpening() { polling.catalogue.noteOpening() }

    /// Keeps a copy of the catalogue if one is due. What does not work is told, and tried again the next time.
    public func backUpCatalogue() async { await polling.catalogue.backUp() }

    /// Lets go of what is only kept to be fast: the system is short of memory.
    public func easeMemory() {
        memory.empty()
        parts.renderer.rest()
        ProcessMemory.giveBack()
    }

    // MARK: - Pausing

    /// Holds polls, downloads and all that is rendered ahead: none begins any more. What runs comes to its end, and what somebody
    /// waits for on a screen is still drawn; the pages that come after it are not.
    ///
    /// With a duration it ends by itself when that has passed, also while the machine slept; without one, by `resume` only.
    /// A second pause takes the place of the first.
    public func pause(for duration: Duration? = nil) {
        pause(PauseTerm(deadline: duration.map { parts.time.now + $0 }))
    }

    /// Goes on with a pause of an agent whose place this one takes.
    public func pause(_ term: PauseTerm) {
        pause.begin(term) { [weak self] in self?.resume() }
        precedence.hold(.pause)
        precedence.breakOffSideWork()
        listeners.tell(.paused)
    }

    /// Lets everything begin again, also what was held.
    public func resume() {
        pause.end()
        precedence.release(.pause)
        listeners.tell(.paused)
    }

    /// Whether polls, downloads and rendering ahead are held.
    public var isPaused: Bool { pause.isOn }

    /// The pause, for the agent that takes this one's place; `nil` where there is none.
    public var pauseTerm: PauseTerm? { pause.term }

    /// When the pause ends by itself; `nil` where there is none, or it has no end.
    public var pausedUntil: Timestamp? { pause.rest.map { parts.now + $0 } }

    /// Forgets what is to be rendered, and breaks off what is being rendered ahead. It is due again with the next reconcile.
    package func cancelRendering() {
        maker.queue.cancelAll()
        keeper.flush()
        listeners.tellProgress()
    }

    // MARK: - Ending

    /// Waits until every hint has been followed and nothing waits to be rendered. A pause is waited for, too.
    public func settled() async {
        while !(markKeeper.isQuiet && look.isQuiet && showing.isIdle && maker.queue.isIdle && counter.isIdle && comparer.isIdle) {
            await showing.idle()
            await markKeeper.quiet()
            await look.quiet()
            await counter.idle()
            await maker.queue.idle()
            await comparer.idle()
        }
    }

    /// Ends the work: what runs is broken off, and nothing half-done stays.
    public func stop() async {
        polling.regular.end()
        ending.begin()
        upkeep.end(parts.time)
        parts.fileEvents?.stop()
        pause.forgetDeadline()
        markKeeper.stop()
        polling.polls.cancel()
        await polling.polls.end()
        maker.queue.stop()
        showing.end()
        precedence.end()
        await parts.renderer.stop()
        await settled()
        keeper.flush()
        do {
            try parts.library.keepLastPoll()
        } catch {
            parts.log.warning("the time of the last full sync could not be recorded: \(error)")
        }
        parts.library.close()
    }
}
