import Freshness
public import ImageKeeping
import Library
import Marks
import Model
public import PageCache
import PlanningCenter
public import Platform
import Rendering
import Sync
import Watching

/// Connects the parts that poll the service, keep the library, and render every wanted image into the cache.
///
/// Every event only means that something may have changed; `reconcile` determines the wanted images, subtracts those in the cache,
/// and queues the rest. Each part keeps its own state; this class only connects the parts.
@LoopActor
public final class Agent {
    let core: AgentCore
    let pause: Pause
    let markKeeper: MarkKeeper
    let counter: ChartCounter
    let comparer: PageComparer
    let maker: PageMaker
    let polling: Polling
    public let showing: Showing
    let precedence: Precedence
    let planPDFs: PlanPDFs?
    private(set) var band: BandKeeper?
    /// Who leads those who turn pages together.
    public let together: TurningTogether
    /// How many choices of how to read a song have been requested, by the song and the plan. Of several at the same time, the last one
    /// holds.
    var choices: [String: Int] = [:]

    /// The images that the library's plans want in the cache.
    public var wants: LibraryWants { core.wants }
    /// Keeps the cache within its limits.
    public var keeper: CacheKeeper { core.keeper }
    /// Images that will soon be shown, ready to be sent.
    public var memory: MemoryTier { core.memory }

    public init(_ parts: Parts, settings: AgentSettings) {
        let core = AgentCore(parts, settings)
        self.core = core
        pause = Pause(time: core.time)
        markKeeper = MarkKeeper(
            library: core.library, settings: settings.marks, side: SideThread(inline: parts.cache.side.isInline), time: core.time,
            log: core.log, listed: { [events = parts.fileEvents] in await events?.takeListing(of: $0) }
        ) { [look = core.look] in look.soon() }
        counter = ChartCounter(core)
        comparer = PageComparer(core)
        maker = PageMaker(core)
        precedence = Precedence(queue: maker.queue, sideWork: core.sideWork)
        showing = Showing(core, maker: maker, precedence: precedence)
        polling = Polling(core, marks: markKeeper, counter: counter, maker: maker, gate: pause.gate)
        planPDFs = PlanPDFs(core, polling: polling, counter: counter, queue: maker.queue)
        together = TurningTogether(time: core.time, line: parts.band?.line(core)) { [listeners = core.listeners] in
            listeners.report(.turnedTogether)
        }

        maker.onMade { [weak showing] in showing?.noteMade($0) }
        band = parts.band.map { band in
            BandKeeper(
                core, band, readiness: { [unowned self] in try await check($0, isThorough: false) },
                isBusy: { [unowned self] in !(maker.queue.isIdle && counter.isIdle && polling.polls.isEmpty) },
                changed: { [polling] in polling.changed($0) },
                surroundings: { [showing, polling] in BandKeeper.Surroundings(isWatched: showing.isWatched, costs: polling.costs) },
                sets: { [polling] in polling.polls.sets })
        }
        showing.onSelect = { [weak band] in band?.noteWatched() }
        core.look.follow { [weak self] in await self?.reconcileOnce() }
        core.listeners.measure { [weak self] in self?.progress }
        core.service?.onWait { [listeners = core.listeners] in listeners.reportProgress() }
        core.keeper.setListener { [memory = core.memory] name, event in
            switch event {
            case .corrupt, .vanished, .made: memory.letGo(of: name)
            // Images that are trimmed or cleared were intact, and may be on a screen, so they stay in memory.
            case .trimmed, .cleared: break
            }
        }
    }
}

@LoopActor
struct AgentCore {
    let parts: Agent.Parts
    let settings: AgentSettings
    let wants: LibraryWants
    let keeper: CacheKeeper
    let memory: MemoryTier
    let look: LookRequests
    let upkeep: Upkeep
    let listeners = Listeners()
    let ending = AgentEnding()
    let viewing = Viewing()
    let wanted = Wanted()
    /// The renderer's background work outside its queue: describing, testing and comparing charts, and making plans' PDFs.
    let sideWork = YieldingWork()
    /// PDFs that a caller waits for.
    let pdfTurns = Turns()

    var library: Library { parts.library }
    var cache: PageCache { parts.cache }
    var renderer: any PageRenderer { parts.renderer }
    var songs: (any SongDrawer)? { parts.songs }
    var service: PlanningCenterClient? { parts.service }
    var time: any TimeKeeper { parts.time }
    var log: Log { parts.log }
    var now: Timestamp { parts.time.timestamp }
    /// Whether the catalogue can record files that are made or removed now.
    var remembersFiles: Bool { !ending.hasBegun && !library.isOnlyInMemory }

    init(_ parts: Agent.Parts, _ settings: AgentSettings) {
        (self.parts, self.settings) = (parts, settings)
        let (library, cache, time) = (parts.library, parts.cache, parts.time)
        wants = LibraryWants(library: library, render: settings.render, ahead: settings.ahead)
        keeper = CacheKeeper(library: library, cache: cache, wants: wants, settings: settings.cache, time: time, log: parts.log)
        memory = MemoryTier(limit: settings.memory, side: SideThread(inline: cache.side.isInline)) {
            name throws(PageCacheError) in try cache.loadIntact(name)
        }
        look = LookRequests(time: time)
        upkeep = Upkeep(time, look)
    }
}
