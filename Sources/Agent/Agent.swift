import Freshness
public import Library
public import Model
public import PageCache
public import PlanningCenter
public import Platform
public import Rendering
import Watching

/// Brings the parts together: polls the service, keeps the library, and has every wanted image rendered into the cache.
///
/// Whatever happens only says "something may have changed"; `reconcile` derives what is wanted, subtracts what is
/// there, and queues the rest.
@LoopActor
public final class Agent {
    /// What an agent works with; each part can be a simulated one.
    public struct Parts {
        let library: Library
        let cache: PageCache
        let renderer: any PageRenderer
        let service: PlanningCenterClient
        let time: any TimeKeeper
        let log: Log
        let fileEvents: (any FileEventSource)?

        /// Gathers the parts.
        ///
        /// `fileEvents` tells of images that somebody else removed, and of files of marks that were written; without it that is
        /// found out at the next occasion.
        public init(
            library: Library, cache: PageCache, renderer: any PageRenderer, service: PlanningCenterClient, time: any TimeKeeper,
            log: Log, fileEvents: (any FileEventSource)? = nil
        ) {
            self.library = library
            self.cache = cache
            self.renderer = renderer
            self.service = service
            self.time = time
            self.log = log
            self.fileEvents = fileEvents
        }
    }

    let parts: Parts
    let settings: AgentSettings
    /// What the library's plans want in the cache.
    public let wants: LibraryWants
    /// Keeps the cache within its limits.
    public let keeper: CacheKeeper
    /// Images that are about to be shown, ready to be sent.
    public let memory: MemoryTier
    /// Counts since the start.
    public var tally: Tally {
        Tally(downloaded: downloads.total.charts, rendered: rendered, failed: failures.count, bytes: downloads.total.bytes)
    }
    /// Called whenever the numbers that `progress` tells have changed.
    public var onProgress: (@LoopActor (Progress) -> Void)?
    /// Called with what a poll has changed, as soon as the library has it.
    public var onChanges: (@LoopActor ([LibraryChange]) -> Void)?
    /// Called with what those want to know who show what is kept ready.
    public var onNews: (@LoopActor (AgentNews) -> Void)?
    /// Whether nobody else works on the library by now; asked when its file has changed.
    public var ownsLibrary: @LoopActor () -> Bool = { true }
    /// Called when the library is not there any more, or not ours.
    public var onTakenAway: (@LoopActor (LibraryError) -> Void)?
    /// Since when the service has not answered; `nil` while it does, and before it was asked.
    public internal(set) var offlineSince: Timestamp?
    /// Whether somebody has a viewer open. From then on the process that draws what is waited for is started before it is needed,
    /// with every page that is turned; it leaves when there was none for a minute.
    public var isBeingLookedAt = false {
        didSet {
            if isBeingLookedAt { parts.renderer.warm() }
            // Only now, so that nothing is written while pages are turned.
            if oldValue, !isBeingLookedAt, !isStopping { keeper.flush() }
        }
    }

    lazy var queue = RenderQueue(width: parts.renderer.width) { [weak self] work in await self?.render(work) }
    lazy var downloads = makeDownloads()
    /// Descriptions and comparisons: what else goes on in the background lane.
    let odds = YieldingWork()
    let showing = Showing()
    let viewing = Viewing()
    let mending = Mending()
    /// Closed while paused.
    let gate = Gate()
    let pause = PauseTimer()
    var isStopping = false
    /// Closed while a poll runs.
    let pollTurn = Gate()
    /// The polls that run or are held.
    var polls: [Int: Task<PollOutcome, Never>] = [:]
    var pollCount = 0
    /// Has polls made by the rhythm, once that has begun.
    var pollClock: PollClock?
    var surroundings: (any Surroundings)?
    /// What power and network cost, by the last look.
    var conditions = MachineConditions()
    var wanted = 0
    var pages = 0
    /// Images that could not be made, until they are.
    var failures = ImageFailures()
    /// Images made since the start.
    var rendered = 0
    /// Why the last look at what is wanted came to nothing; `nil` when it did not.
    var reconcileTrouble: String?
    /// How often in a row it came to nothing.
    var reconcileFailures = 0
    /// What became of a catalogue that could not be used or was another, until the service has told everything.
    var catalogueNews: String?
    /// Why the last backup came to nothing.
    var backupTrouble: String?
    let charts = ChartCondition()
    var doubts = DoubtfulCharts()
    let descriptions = Descriptions()
    /// The plain images of the pages that are wanted.
    var plainImages: [WantedImage.Page: ImageName] = [:]
    var lastAnnotated = LastAnnotated()
    var lastRenderer: RendererIdentity?
    lazy var hints = PacedHints(time: parts.time)
    /// What the cache is to hold, whatever this run is limited to; and what of that there is no room for.
    var wantedInCache: WantedSet? {
        didSet {
            keeper.nearestPlans = wantedInCache.map { NearestPlans($0) }
            wantedByName = wantedInCache.map { WantedByName($0) }
        }
    }
    /// The same by name.
    var wantedByName: WantedByName?
    var withheld: Set<ImageName> = []
    /// How many those were when it was last told.
    var withheldAsTold = 0
    /// Whether images were made since it was last decided what there is room for.
    var hasLearnedSizes = false
    let upkeep = Upkeep()
    lazy var markKeeper = MarkKeeper(
        library: parts.library, settings: settings.marks, side: SideThread(inline: parts.cache.side.isInline), time: parts.time,
        log: parts.log, listed: { [events = parts.fileEvents as? any ListingEventSource] in await events?.takeListing(of: $0) }
    ) { [weak self] in self?.reconcile() }
    lazy var pageComparer = PageComparer(
        library: parts.library, renderer: parts.renderer, turns: odds, time: parts.time, log: parts.log)

    /// Makes an agent that has not begun.
    public init(_ parts: Parts, settings: AgentSettings) {
        self.parts = parts
        self.settings = settings
        wants = LibraryWants(library: parts.library, render: settings.render, ahead: settings.ahead)
        keeper = CacheKeeper(
            library: parts.library, cache: parts.cache, wants: wants, settings: settings.cache, time: parts.time, log: parts.log)
        memory = MemoryTier(limit: settings.memory, side: SideThread(inline: parts.cache.side.isInline)) {
            [cache = parts.cache] name throws(PageCacheError) in try cache.loadWhole(name)
        }
        keeper.onFate = { [memory] name, fate in
            switch fate {
            case .corrupt, .vanished, .made: memory.letGo(of: name)
            // Those were as they should be, and may be on the screen.
            case .trimmed, .cleared: break
            }
        }
    }

    /// The time of day.
    var now: Timestamp { Timestamp(sinceEpoch: parts.time.wallTime) }

    /// Waits until every hint has been followed and nothing waits to be rendered. A pause is waited for, too.
    public func settled() async {
        while !(markKeeper.isQuiet && hints.isQuiet && showing.isIdle && queue.isIdle && descriptions.isIdle && pageComparer.isIdle) {
            for selection in showing.unended { await selection.ended() }
            await markKeeper.quiet()
            await hints.quiet()
            await descriptions.idle()
            await queue.idle()
            await pageComparer.idle()
        }
    }

    /// Ends the work: what runs is broken off, and nothing half-done stays.
    public func stop() async {
        endPolling()
        isStopping = true
        endUpkeep()
        pause.end(parts.time)
        markKeeper.stop()
        cancelPolls()
        for (_, poll) in polls.sorted(by: { $0.key < $1.key }) { _ = await poll.value }
        queue.stop()
        showing.selection?.settle(.failure(.stopped))
        odds.end()
        showing.others.end()
        await parts.renderer.stop()
        await settled()
        keeper.flush()
        do {
            try parts.library.keepLastPoll()
        } catch {
            parts.log.warning("when the service last told everything could not be written down: \(error)")
        }
        parts.library.close()
    }

    func tellProgress() { onProgress?(progress) }

    /// How far the work is.
    var progress: Progress {
        Progress(
            downloads: downloads.progress, wanted: wanted, missing: queue.imageCount, pages: pages, missingPages: queue.pageCount)
    }
}

/// What an agent has done since its start.
public struct Tally: Hashable, Sendable {
    /// Charts downloaded.
    public var downloaded = 0
    /// Images rendered and published.
    public var rendered = 0
    /// Images that could not be rendered, and have not been since.
    public var failed = 0
    /// Bytes of charts downloaded.
    public var bytes = 0

    /// Counts what was done; by default nothing is yet.
    public init(downloaded: Int = 0, rendered: Int = 0, failed: Int = 0, bytes: Int = 0) {
        self.downloaded = downloaded
        self.rendered = rendered
        self.failed = failed
        self.bytes = bytes
    }
}

/// How far the work is.
public struct Progress: Hashable, Sendable, Codable {
    /// The downloads of this poll.
    public struct Downloads: Hashable, Sendable, Codable {
        public var charts = 0
        public var done = 0
        /// Bytes that have come, and those announced for all; of files that are made on demand nothing is announced.
        public var bytes = 0
        public var announcedBytes = 0

        /// Tells how far they are; by default there are none.
        public init(charts: Int = 0, done: Int = 0, bytes: Int = 0, announcedBytes: Int = 0) {
            self.charts = charts
            self.done = done
            self.bytes = bytes
            self.announcedBytes = announcedBytes
        }

        /// Begins with what the service says of these files, which may be any number of any size.
        init(of files: [Attachment]) {
            let bytes = files.map { max($0.fileSize, 0) }.reduce(0) { min($0, .max - $1) + $1 }
            self.init(charts: files.count, announcedBytes: bytes)
        }
    }

    public let downloads: Downloads
    /// Images that the coming plans need.
    public let wanted: Int
    /// Those among them that are still to be made.
    public let missing: Int
    /// Pages of the charts that are here, and those among them of which an image is to be made.
    public let pages: Int
    public let missingPages: Int

    /// Tells how far it is.
    public init(downloads: Downloads, wanted: Int, missing: Int, pages: Int, missingPages: Int) {
        self.downloads = downloads
        self.wanted = wanted
        self.missing = missing
        self.pages = pages
        self.missingPages = missingPages
    }
}
