import Freshness
import Library
import Model
public import PageCache
public import Platform
import Rendering
import Watching

/// Brings the parts together: polls the service, keeps the library, and has every wanted image rendered into the cache.
///
/// Whatever happens only says "something may have changed"; `reconcile` derives what is wanted, subtracts what is
/// there, and queues the rest. Each part keeps its own state; here is only who works with whom.
@LoopActor
public final class Agent {
    let parts: Parts
    let settings: AgentSettings
    /// What the library's plans want in the cache.
    public let wants: LibraryWants
    /// Keeps the cache within its limits.
    public let keeper: CacheKeeper
    /// Images that are about to be shown, ready to be sent.
    public let memory: MemoryTier

    let listeners = Listeners()
    let ending = Ending()
    let pause: Pause
    let upkeep = Upkeep()
    let viewing = Viewing()
    let wanted = Wanted()
    let look: LookAnew
    let looks = Looks()
    let catalogue: CatalogueWatch
    let markKeeper: MarkKeeper
    let counter: ChartCounter
    let comparer: PageComparer
    let maker: PageMaker
    let downloads: ChartDownloads
    let polls: Polls
    let regularPolls: RegularPolls
    let showing: Showing
    let requests: ImageRequests
    let source: ImageSource
    let precedence: Precedence

    /// Makes an agent that has not begun.
    public init(_ parts: Parts, settings: AgentSettings) {
        self.parts = parts
        self.settings = settings
        let isInline = parts.cache.side.isInline
        let (library, time, log) = (parts.library, parts.time, parts.log)
        let look = LookAnew(time: time)
        self.look = look
        pause = Pause(time: time)
        wants = LibraryWants(library: library, render: settings.render, ahead: settings.ahead)
        keeper = CacheKeeper(library: library, cache: parts.cache, wants: wants, settings: settings.cache, time: time, log: log)
        memory = MemoryTier(limit: settings.memory, side: SideThread(inline: isInline)) {
            [cache = parts.cache] name throws(PageCacheError) in try cache.loadWhole(name)
        }
        let markKeeper = MarkKeeper(
            library: library, settings: settings.marks, side: SideThread(inline: isInline), time: time, log: log,
            listed: { [events = parts.fileEvents as? any ListingEventSource] in await events?.takeListing(of: $0) }
        ) { look.soon() }
        self.markKeeper = markKeeper

        // Descriptions and comparisons: what else goes on in the background lane.
        let odds = YieldingWork()
        counter = ChartCounter(parts, work: odds, look: look)
        comparer = PageComparer(library: library, renderer: parts.renderer, turns: odds, time: time, log: log)
        let shown = Later<Showing>()
        maker = PageMaker(
            parts, settings.render, keeper: keeper, wanted: wanted, upkeep: upkeep, look: look, listeners: listeners
        ) { shown.value?.noteMade($0) }

        precedence = Precedence(queue: maker.queue, odds: odds)
        source = ImageSource(
            parts, settings.render, memory: memory, maker: maker, wanted: wanted, look: look, ending: ending)
        let views = PageViews(parts: parts, settings: settings.render, maker: maker, wanted: wanted)
        showing = Showing(
            parts, keeper: keeper, maker: maker, views: views, source: source, precedence: precedence, ending: ending)
        shown.value = showing
        requests = ImageRequests(
            parts, settings.render, keeper: keeper, maker: maker, wanted: wanted, viewing: viewing, showing: showing, views: views,
            source: source, precedence: precedence, ending: ending)

        let polling = Later<RegularPolls>()
        catalogue = CatalogueWatch(library, time: time, log: log, isInline: isInline, listeners: listeners, ending: ending) {
            markKeeper.look()
            markKeeper.matchAgain()
            polling.value?.hurry()
        }
        let tell: @Sendable @LoopActor ([LibraryChange]) -> [LibraryChange] = { [listeners] changes in
            guard !changes.isEmpty else { return changes }
            listeners.tell(changes)
            // Files of marks that belonged to no chart may have found theirs.
            markKeeper.look()
            return changes
        }
        downloads = ChartDownloads(
            ChartDownloads.Parts(
                library: library, service: parts.service,
                succession: Succession(library: library, renderer: parts.renderer, settings: settings.render, work: odds, time: time),
                time: time, log: log, gate: pause.gate, width: settings.downloads),
            telling: ChartDownloads.Listener(
                progressed: { [listeners] in listeners.tellProgress() },
                described: { [counter] description, hash in try counter.note(description.pages, of: hash, by: description.tag) },
                arrived: { changes in
                    _ = tell(changes)
                    // Files of marks may name it by what it holds.
                    markKeeper.matchAgain()
                    look.patiently()
                }))
        let poll = ServicePoll(
            parts: parts, settings: settings, wants: wants, downloads: downloads, counter: counter, maker: maker, markKeeper: markKeeper,
            catalogue: catalogue, look: look, tell: tell)
        polls = Polls(poll, gate: pause.gate, time: time) { [listeners] outcome in
            polling.value?.note(outcome)
            if !outcome.isCancelled { listeners.tell(.polled) }
        }
        regularPolls = RegularPolls(parts, settings.rhythm, queue: maker.queue) { [cache = parts.cache] event in
            // Disks and folders may have come and gone, and what inotify would have told went by unheard.
            if event == .wokeUp {
                cache.doubtAll()
                markKeeper.look()
            }
            // Which plans are coming is a matter of the time of day; and folders may be on the network.
            look.soon()
        }
        polling.value = regularPolls

        look.follow { [weak self] in await self?.reconcileOnce() }
        listeners.measure { [weak self] in self?.progress }
        keeper.hear { [memory] name, fate in
            switch fate {
            case .corrupt, .vanished, .made: memory.letGo(of: name)
            // Those were as they should be, and may be on the screen.
            case .trimmed, .cleared: break
            }
        }
    }
}

/// A part that another one names before it is made.
@LoopActor
private final class Later<Part: AnyObject & Sendable> {
    weak var value: Part?
}
