import Agent
import Band
import BandLayout
import Catalogue
import Library
import Marks
import Model
import Platform
import Readiness
import Sets
import Viewer

/// Connects the viewer to the agent and its library.
@LoopActor
final class AgentViewing: ViewerSource {
    let agent: Agent
    let library: Library
    let clock: any TimeKeeper
    /// The layers that the musician draws in browsers.
    let ownLayers: OwnLayers
    lazy var news = ViewingNews(self)
    private var isSyncing = false

    init(agent: Agent, library: Library, clock: any TimeKeeper, ownLayers: OwnLayers) {
        (self.agent, self.library, self.clock, self.ownLayers) = (agent, library, clock, ownLayers)
    }

    var now: Timestamp { clock.timestamp }

    func state() async throws(Trouble) -> ViewerState {
        ViewerState(now: now, status: try status(), plans: try await plans(), keepsLists: agent.keepsLists)
    }

    /// The state of the connection between the agent and the service.
    func status() throws(Trouble) -> ViewerStatus {
        try reading { () throws(LibraryError) in
            ViewerStatus(
                lastPoll: try library.lastPoll, offlineSince: agent.offlineSince, failingPolls: try library.service.failingPolls,
                isPaused: agent.isPaused, source: agent.source)
        }
    }

    /// The plans that are kept ready, for the viewer's list.
    func plans() async throws(Trouble) -> [ViewerPlan] {
        var plans: [ViewerPlan] = []
        let words = try bandWords()
        for outlook in try await outlook(of: try agent.plansKeptReady()) {
            plans.append(try viewed(outlook, words))
        }
        return plans
    }

    func others() async throws(Trouble) -> (charts: [ViewerOtherChart], songs: [ViewerBookSong]) {
        let listed = Set(try agent.plansKeptReady().map(\.plan.id))
        let book = await agent.songbook()
        let charts =
            try book.charts.map { ViewerOtherChart($0.attachment, at: $0.item, of: $0.plan) }
            + reading { () throws(LibraryError) in
                let counted = try library.charts.counted()
                var known: Set<AttachmentID> = []
                let others = try library.plans.all().reversed().filter { !listed.contains($0.plan.id) }
                return (others.filter { $0.plan.mainTime != nil } + others.filter { $0.plan.mainTime == nil }).flatMap { contents in
                    contents.items.flatMap { item in
                        item.attachments.filter { counted[$0.use]?.isHere == true && known.insert($0.id).inserted }
                            .map { ViewerOtherChart($0, at: item, of: contents.plan) }
                    }
                }
            }
        let songs = book.songs.map { ViewerBookSong(chart: $0.chart, name: $0.book, title: $0.title, page: $0.page) }
        return (charts, songs + (try reading { () throws(LibraryError) in try songsInOutlines() }))
    }

    func open(file id: AttachmentID) async throws(Trouble) -> AttachmentID { try await agent.open(file: id) }

    func list(of plan: PlanID) async throws(Trouble) -> SetListFile { try await agent.list(of: plan) }

    func write(_ draft: SetDraft) async throws(Trouble) -> SetDraft.Outcome { try await agent.write(draft) }

    func plan(_ id: PlanID) async throws(Trouble) -> ViewerPlan {
        let outlooks = try await outlook(of: [contents(of: id)])
        guard let outlook = outlooks.first else { throw .unknownPlan }
        var plan = try viewed(outlook, bandWords())
        plan.held = try heldBack(id)
        plan.isList = agent.isList(id)
        return plan
    }

    func noteOpen(plan: PlanID?) {
        agent.showing.noteOpen(plan: plan)
        // If no plan is open any more, there is nothing to record.
        guard let plan else { return }
        try? library.journal.noteLook(at: plan)
        if agent.playsInBand { try? library.band.noteOpened(plan, at: now) }
    }

    func noteSeen(_ plan: PlanID) async throws(Trouble) {
        try reading { () throws(LibraryError) in try library.journal.noteSeen(plan) }
        news.checkPlansSoon()
    }

    func accept(_ plan: PlanID, of tag: String) async throws(Trouble) {
        let held = try heldBack(plan)
        let shown = held == nil ? try await outlook(of: [contents(of: plan)]).first?.report.doubts?.tag : held?.tag
        guard shown == tag else {
            throw Trouble(
                .gone, "\(plan.owner.words) \(plan.owner == .service ? "says" : "has") something else by now".asSentence)
        }
        _ = try reading { () throws(LibraryError) in try library.accept(plan: plan, at: now) }
        agent.noteChange()
        sync()
        news.checkPlansSoon()
    }

    func accept(_ chart: AttachmentID, in plan: PlanID?, of tag: String) async throws(Trouble) {
        let plans = try reading { () throws(LibraryError) in try library.plans.showing(chart) }
        guard let place = ChartPlace(of: chart, in: plan, item: nil, of: plans, now: now) else { throw .unknownChart }
        let report = try await agent.outlook(of: place.attachment).report
        guard report.doubts?.tag == tag else { throw .changedMeanwhile }
        _ = try reading { () throws(LibraryError) in try library.accept(chart: chart) }
        agent.noteChange()
        sync()
        news.checkPlansSoon()
        news.receive(.reconciled(changed: [chart]))
    }

    private func heldBack(_ plan: PlanID) throws(Trouble) -> HeldBackPlan? {
        try reading { () throws(LibraryError) in try library.plans.heldBack() }.first { $0.plan.id == plan }
    }

    func checkDamage(of name: ImageName) async throws(Trouble) -> Bool { await agent.showing.checkDamage(of: name) }

    func sync() {
        // Ignore a second request during a sync: it would get the same response.
        guard !isSyncing else { return }
        isSyncing = true
        spawn { [self] in
            _ = await agent.poll()
            isSyncing = false
        }
    }

    func setNewsHandler(_ handler: (@LoopActor (ViewerNews) -> Void)?) { news.onNews = handler }

    func setLookedAt(_ isLookedAt: Bool) {
        agent.showing.beLookedAt(isLookedAt)
        news.isHeard = isLookedAt
        if !isLookedAt { agent.showing.noteOpen(plan: nil) }
    }

    // MARK: -

    func contents(of id: PlanID) throws(Trouble) -> PlanContents {
        let all = try reading { () throws(LibraryError) in try library.plans.allListed() }
        guard let contents = all.first(where: { $0.plan.id == id }) else { throw .unknownPlan }
        return contents
    }

    private func outlook(of plans: [PlanContents]) async throws(Trouble) -> [PlanOutlook] {
        try await agent.outlook(of: plans)
    }

    private func viewed(_ outlook: PlanOutlook, _ words: [BandHead]) throws(Trouble) -> ViewerPlan {
        let band = BandReadiness(of: outlook.contents.plan, from: words, at: now)
        let changes = try reading { () throws(LibraryError) in try library.journal.unseenChanges(of: outlook.contents) }
        var plan = ViewerPlan(outlook, changes: changes.map(\.viewedSentence), band: band.isSpokenOf ? band : nil)
        if agent.playsInBand { plan.offers = try offers(of: outlook.contents.plan.id, words) }
        return plan
    }

    func reading<Result>(_ body: () throws(LibraryError) -> Result) throws(Trouble) -> Result {
        do throws(LibraryError) {
            return try body()
        } catch {
            throw Trouble(error)
        }
    }
}
