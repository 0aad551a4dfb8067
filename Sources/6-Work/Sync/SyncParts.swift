package import ImageKeeping
package import Library
package import Model
package import PlanningCenter
package import Platform
package import Rendering
package import Sets

/// Events during a poll, for the other parts of an agent.
@LoopActor
package protocol SyncEvents: AnyObject {
    func pollBegins(isRequested: Bool)
    /// These changes are stored in the library.
    func changed(_ changes: [LibraryChange])
    /// This many plans have been read, of all that the poll requests; both numbers are 0 once it has finished reading.
    func plansRead(_ done: Int, of all: Int)
    /// Some charts may have been replaced by others.
    func plansChanged()
    /// The progress of the downloads has changed.
    func downloadsProgressed()
    /// A chart was opened to test it before it was accepted.
    func described(_ chart: ChartHash, as description: ChartDescription, by tag: RendererTag) throws
    /// A chart has arrived, and storing it made these changes.
    func chartArrived(_ changes: [LibraryChange])
    func pollEnded(_ outcome: PollOutcome, isRequested: Bool)
}

/// The objects and settings that all parts of a poll share.
@LoopActor
package struct SyncParts {
    let library: Library
    /// `nil` if there is no account: all plans come from the musician's own folders.
    let service: PlanningCenterClient?
    /// `nil` where only the service is measured or tested; an agent looks for songs in the music folder, too.
    let sets: SetSettings?
    let renderer: any PageRenderer
    /// `nil` if no charts are drawn from words and chords.
    let songs: (any SongDrawer)?
    let time: any TimeKeeper
    let log: Log
    /// The thread that reads charts' files.
    let side: SideThread
    let wants: LibraryWants
    let look: LookRequests
    let catalogue: CatalogueWatch
    /// Work that pauses while a page is being awaited.
    let sideWork: YieldingWork
    /// Closed while no new work may begin.
    let gate: Gate
    /// How far ahead plans are kept ready.
    let ahead: Duration
    /// Which charts of the coming plans are kept ready.
    let scope: SyncScope
    /// The settings, by name, that decide what is requested; `nil` if they are unknown.
    let asked: AskedSettings?
    /// How many files are downloaded at a time.
    let width: Int
    let render: RenderSettings
    weak var events: (any SyncEvents)?

    package init(
        library: Library, service: PlanningCenterClient?, sets: SetSettings? = nil, renderer: any PageRenderer, songs: (any SongDrawer)?,
        time: any TimeKeeper,
        log: Log, side: SideThread, wants: LibraryWants, look: LookRequests, catalogue: CatalogueWatch, sideWork: YieldingWork, gate: Gate,
        ahead: Duration,
        scope: SyncScope, asked: AskedSettings?, width: Int, render: RenderSettings, events: any SyncEvents
    ) {
        (self.library, self.service, self.renderer, self.time, self.log, self.side) = (library, service, renderer, time, log, side)
        (self.wants, self.look, self.catalogue, self.sideWork, self.gate) = (wants, look, catalogue, sideWork, gate)
        (self.ahead, self.scope, self.asked, self.width, self.render) = (ahead, scope, asked, width, render)
        (self.songs, self.events, self.sets) = (songs, events, sets)
    }

    var now: Timestamp { time.timestamp }

    /// Reports changes, if there are any. Returns the same changes.
    func report(_ changes: [LibraryChange]) -> [LibraryChange] {
        if !changes.isEmpty { events?.changed(changes) }
        return changes
    }
}
