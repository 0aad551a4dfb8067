import Freshness
public import Keeping
import Library
import Marks
import Model
public import PageCache
import PlanningCenter
public import Platform
import Rendering
import Watching

/// Brings the parts together: polls the service, keeps the library, and has every wanted image rendered into the cache.
///
/// Whatever happens only says "something may have changed"; `reconcile` works out what is wanted, subtracts what is there, and queues the
/// rest. Each part keeps its own state; here is only who works with whom.
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
    let ending = AgentEnding()
    let pause: Pause
    let upkeep = Upkeep()
    let viewing = Viewing()
    let wanted = Wanted()
    let look: LookAnew
    let looks = Looks()
    let markKeeper: MarkKeeper
    let counter: ChartCounter
    let comparer: PageComparer
    let maker: PageMaker
    let polling: Polling
    let showing: Showing
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
            [cache = parts.cache] name throws(PageCacheError) in try cache.loadIntact(name)
        }
        let markKeeper = MarkKeeper(
            library: library, settings: settings.marks, side: SideThread(inline: isInline), time: time, log: log,
            listed: { [events = parts.fileEvents] in await events?.takeListing(of: $0) }
        ) { look.soon() }
        self.markKeeper = markKeeper

        // Descriptions and comparisons: the other work in the background lane.
        let sideWork = YieldingWork()
        counter = ChartCounter(parts, work: sideWork, look: look)
        comparer = PageComparer(library: library, renderer: parts.renderer, turns: sideWork, time: time, log: log)
        let shown = Later<Showing>()
        maker = PageMaker(
            parts, settings.render, keeper: keeper, wanted: wanted, upkeep: upkeep, look: look, listeners: listeners
        ) { shown.value?.noteMade($0) }

        precedence = Precedence(queue: maker.queue, sideWork: sideWork)
        showing = Showing(
            parts, settings.render, keeper: keeper, memory: memory, maker: maker, wanted: wanted, viewing: viewing, precedence: precedence,
            look: look, ending: ending)
        shown.value = showing
        let followers = Polling.Followers(
            wants: wants, marks: markKeeper, counter: counter, maker: maker, look: look, listeners: listeners)
        polling = Polling(parts, settings, followers, sideWork: sideWork, gate: pause.gate, ending: ending)

        look.follow { [weak self] in await self?.reconcileOnce() }
        listeners.measure { [weak self] in self?.progress }
        parts.service.onWait { [listeners] in listeners.tellProgress() }
        keeper.hear { [memory] name, event in
            switch event {
            case .corrupt, .vanished, .made: memory.letGo(of: name)
            // Those images were intact, and may be on the screen.
            case .trimmed, .cleared: break
            }
        }
    }
}

/// A part that is needed by another one before it exists.
@LoopActor
private final class Later<Part: AnyObject & Sendable> {
    weak var value: Part?
}
