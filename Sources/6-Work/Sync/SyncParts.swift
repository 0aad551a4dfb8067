package import ImageKeeping
package import Library
package import Model
package import PlanningCenter
package import Platform
package import Rendering

/// Events while the service is asked, for the rest of an agent.
@LoopActor
package protocol SyncEvents: AnyObject {
    func pollBegins(isRequested: Bool)
    /// The library has taken over these changes.
    func changed(_ changes: [LibraryChange])
    /// So many of the plans have been read, out of all that are to be.
    func plansRead(_ done: Int, of all: Int)
    /// Charts may have replaced one another.
    func plansChanged()
    /// More bytes or charts have arrived.
    func downloadsProgressed()
    /// A chart was opened before it was accepted.
    func described(_ chart: ChartHash, as description: ChartDescription, by tag: RendererTag) throws
    /// A chart is here, and these changes came with it.
    func chartArrived(_ changes: [LibraryChange])
    func pollEnded(_ outcome: PollOutcome, isRequested: Bool)
}

/// The parts that asking the service works with.
@LoopActor
package struct SyncParts {
    let library: Library
    let service: PlanningCenterClient
    let renderer: any PageRenderer
    /// Without it, no charts are drawn from words and chords.
    let songs: (any SongDrawer)?
    let time: any TimeKeeper
    let log: Log
    /// Where charts' files are read.
    let side: SideThread
    let wants: LibraryWants
    let look: LookRequests
    let catalogue: CatalogueWatch
    /// Gives way to a page that is waited for.
    let sideWork: YieldingWork
    /// Closed while nothing new may begin.
    let gate: Gate
    /// How far ahead plans are kept ready.
    let ahead: Duration
    /// Which charts of the coming plans are kept ready.
    let scope: SyncScope
    /// The settings that decide what is requested, by name, if they are known.
    let asked: AskedSettings?
    /// How many files are downloaded at a time.
    let width: Int
    let render: RenderSettings
    weak var events: (any SyncEvents)?

    package init(
        library: Library, service: PlanningCenterClient, renderer: any PageRenderer, songs: (any SongDrawer)?, time: any TimeKeeper,
        log: Log, side: SideThread, wants: LibraryWants, look: LookRequests, catalogue: CatalogueWatch, sideWork: YieldingWork, gate: Gate,
        ahead: Duration,
        scope: SyncScope, asked: AskedSettings?, width: Int, render: RenderSettings, events: any SyncEvents
    ) {
        (self.library, self.service, self.renderer, self.time, self.log, self.side) = (library, service, renderer, time, log, side)
        (self.wants, self.look, self.catalogue, self.sideWork, self.gate) = (wants, look, catalogue, sideWork, gate)
        (self.ahead, self.scope, self.asked, self.width, self.render) = (ahead, scope, asked, width, render)
        (self.songs, self.events) = (songs, events)
    }

    var now: Timestamp { time.timestamp }

    /// Reports changes, if there are any, and returns them.
    func report(_ changes: [LibraryChange]) -> [LibraryChange] {
        if !changes.isEmpty { events?.changed(changes) }
        return changes
    }
}
