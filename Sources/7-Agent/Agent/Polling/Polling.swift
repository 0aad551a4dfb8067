import Freshness
import Keeping
import Library
import Marks
import Model
import PageCache
import Platform
import Rendering
import Sync

/// Everything about asking the service: when, for what, and what happens with the answers.
@LoopActor
final class Polling {
    /// The parts whose work follows from what the service says.
    struct Followers {
        let wants: LibraryWants
        let marks: MarkKeeper
        let counter: ChartCounter
        let maker: PageMaker
        let look: LookAnew
        let listeners: Listeners
    }

    let catalogue: CatalogueWatch
    let downloads: ChartDownloads
    let polls: Polls
    let regular: RegularPolls

    /// `sideWork` is for descriptions and comparisons; `gate` is closed while nothing new may begin.
    init(_ parts: Agent.Parts, _ settings: AgentSettings, _ followers: Followers, sideWork: YieldingWork, gate: Gate, ending: AgentEnding) {
        let (marks, look, listeners) = (followers.marks, followers.look, followers.listeners)
        let regular = RegularPolls(parts, settings.rhythm, queue: followers.maker.queue) { [cache = parts.cache] event in
            // Disks and folders may have come and gone while the machine slept, and inotify's events were missed.
            if event == .wokeUp {
                cache.doubtAll()
                marks.look()
            }
            // Which plans are coming depends on the time of day, and folders may be on the network.
            look.soon()
        }
        self.regular = regular
        catalogue = CatalogueWatch(
            parts.library, time: parts.time, log: parts.log, isInline: parts.cache.side.isInline, ending: ending,
            takenAway: { listeners.tellTakenAway($0) }
        ) { [weak regular] in
            marks.look()
            marks.matchAgain()
            regular?.hurry()
        }
        let tell: @Sendable @LoopActor ([LibraryChange]) -> [LibraryChange] = { changes in
            guard !changes.isEmpty else { return changes }
            listeners.tell(changes)
            // Mark files that belonged to no chart may have found theirs. Their folders have not changed by that.
            marks.matchAgain()
            return changes
        }
        let succession = Succession(
            library: parts.library, renderer: parts.renderer, settings: settings.render, work: sideWork, time: parts.time)
        downloads = ChartDownloads(
            ChartDownloads.Parts(
                library: parts.library, service: parts.service, succession: succession, time: parts.time, log: parts.log, gate: gate,
                width: settings.downloads),
            telling: ChartDownloads.Listener(
                progressed: { listeners.tellProgress() },
                described: { try followers.counter.note($0.pages, of: $1, by: $0.tag) },
                arrived: { changes in
                    _ = tell(changes)
                    // Mark files may name the chart by its hash.
                    marks.matchAgain()
                    look.patiently()
                }))
        let pollFollowers = ServicePoll.Followers(
            begins: { isRequested in
                followers.counter.hurry(isAsked: isRequested)
                guard isRequested else { return }
                followers.maker.forgive()
                // No event reports a disk that was mounted below a mark folder.
                marks.look()
            }, tell: tell, plansChanged: { marks.matchAgain() })
        let poll = ServicePoll(
            ServicePoll.Parts(
                library: parts.library, service: parts.service, time: parts.time, log: parts.log, side: parts.cache.side),
            PollSettings(ahead: settings.ahead, scope: settings.scope, asked: settings.asked), wants: followers.wants,
            downloads: downloads, catalogue: catalogue, look: look, followers: pollFollowers)
        polls = Polls(poll, gate: gate, time: parts.time) { [weak regular] outcome in
            regular?.note(outcome)
            if !outcome.isCancelled { listeners.tell(.polled) }
        }
    }
}
