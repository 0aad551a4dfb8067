public import Freshness
public import ImageKeeping
public import Library
public import Marks
public import Model
public import PageCache
public import PlanningCenter
public import Platform
public import Rendering
public import Sets
public import Watching

extension Agent {
    /// The parts of an agent that are passed in; each can be replaced by a simulation.
    public struct Parts {
        let library: Library
        let cache: PageCache
        let renderer: any PageRenderer
        /// `nil` if there is no account.
        let service: PlanningCenterClient?
        let time: any TimeKeeper
        let log: Log
        let fileEvents: (any ListingEventSource)?
        let pdfs: (any PDFMaker)?
        let songs: (any SongDrawer)?
        let band: BandParts?

        /// `fileEvents` reports images that another program removed, and mark files that were written; without it, the next
        /// reconcile run finds these changes. Without `pdfs`, no PDFs are made; without `songs`, no songs are drawn; without
        /// `band`, the musician plays alone.
        public init(
            library: Library, cache: PageCache, renderer: any PageRenderer, service: PlanningCenterClient?, time: any TimeKeeper,
            log: Log, fileEvents: (any ListingEventSource)? = nil, pdfs: (any PDFMaker)? = nil, songs: (any SongDrawer)? = nil,
            band: BandParts? = nil
        ) {
            (self.library, self.cache, self.renderer, self.service, self.time, self.log) = (library, cache, renderer, service, time, log)
            (self.fileEvents, self.pdfs, self.songs, self.band) = (fileEvents, pdfs, songs, band)
        }
    }
}

public struct AgentSettings: Hashable, Sendable {
    public var render: RenderSettings
    /// How far ahead plans are kept ready. Four weeks cover a month's schedule.
    public var ahead: Duration
    /// The number of parallel downloads: enough to hide a slow host's response times, few enough to leave bandwidth for others.
    public var downloads: Int
    /// The charts and images that are kept ready for coming plans.
    public var scope: SyncScope
    public var marks: MarkSettings
    public var cache: CacheSettings
    /// How much memory may be used for images that will soon be shown.
    public var memory: ByteCount
    public var rhythm: PollRhythm
    /// The settings that decide what is requested from the service, by name; `nil` if unknown.
    public var asked: AskedSettings?
    /// How to tidy up after polls; `nil` to leave everything.
    public var tidying: TidySettings?
    /// The folder where each coming plan is kept as a PDF; `nil` for none.
    public var pdfFolder: String?
    /// The musician's own sets and songs; `nil` in programs that only measure the service.
    public var sets: SetSettings?

    public init(
        render: RenderSettings = RenderSettings(), ahead: Duration = .seconds(28 * 86_400), downloads: Int = 4, scope: SyncScope = .all,
        marks: MarkSettings = MarkSettings(), cache: CacheSettings = CacheSettings(), memory: ByteCount = ByteCount(64_000_000),
        rhythm: PollRhythm = PollRhythm(), asked: AskedSettings? = nil, tidying: TidySettings? = nil, pdfFolder: String? = nil,
        sets: SetSettings? = nil
    ) {
        (self.render, self.ahead, self.downloads, self.scope, self.marks, self.cache) = (render, ahead, downloads, scope, marks, cache)
        (self.memory, self.rhythm, self.asked, self.tidying, self.pdfFolder) = (memory, rhythm, asked, tidying, pdfFolder)
        self.sets = sets
    }
}

/// How the library and the music folder are tidied up.
public struct TidySettings: Hashable, Sendable {
    /// The folder of links to charts, for people.
    public var music: String
    /// Whether the folder of links does not answer at present.
    public var isMusicSilent: Bool
    /// How long plans are kept after their time, and how long former states of mark files are kept.
    public var keptAfter: Duration
    public var historyAge: Duration

    public init(
        music: String, isMusicSilent: Bool = false, keptAfter: Duration = Library.retention, historyAge: Duration = MarkHistory.age
    ) {
        (self.music, self.isMusicSilent, self.keptAfter, self.historyAge) = (music, isMusicSilent, keptAfter, historyAge)
    }
}
