import Readiness
import Agent
import Library
import Model
import Platform
import Viewer

/// Finds out what has changed for open viewers, and sends each change once. Does nothing while no viewer is open.
@LoopActor
final class ViewingNews {
    private unowned let source: AgentViewing
    /// Receives each change.
    var onNews: (@LoopActor (ViewerNews) -> Void)? {
        didSet { beginOrEnd() }
    }
    /// Whether a viewer is open.
    var hasListeners = false {
        didSet { beginOrEnd() }
    }
    private var isListening = false
    /// The number of changes received so far.
    private(set) var changes = 0
    private var watched: [AttachmentID: WatchedChart] = [:]
    /// The watched charts, in the order in which they were opened.
    private var opened: [AttachmentID] = []
    private var due: Set<AttachmentID> = []
    private var waiting: [AttachmentID: Set<ImageName>] = [:]
    private var isLooking = false
    private let alarm: Alarm
    /// Reads charts again after a failed attempt.
    private let again: Alarm
    private var plans: [String]?
    private var status: ViewerStatus?

    /// More charts than are played from at the same time, on several screens.
    private static let mostWatched = 64
    /// The list of plans changes with each image made, so it is read at most once in this time.
    private static let rhythm = Duration.seconds(1)
    /// A locked catalogue or a full disk may last for a while, so the pause between two attempts grows.
    private var pause = GrowingPause.usual

    init(_ source: AgentViewing) { (self.source, alarm, again) = (source, Alarm(source.clock), Alarm(source.clock)) }

    private func beginOrEnd() {
        let listens = hasListeners && onNews != nil
        guard listens != isListening else { return }
        isListening = listens
        (plans, status) = (nil, nil)
        guard listens else {
            source.agent.onNews(nil)
            alarm.cancel()
            return again.cancel()
        }
        source.agent.onNews { [weak self] in self?.receive($0) }
        // Catch up with changes from the time when no viewer was open.
        checkSoon(Set(watched.keys))
        checkPlansSoon()
    }

    /// Watches a chart that is about to be sent to a viewer, and reports later changes. `changes` is the count when the chart was
    /// read: changes since then may already have been sent, and this chart lacks them.
    func watch(_ chart: ViewerChart, in plan: PlanID?, item: ItemID?, readAt changes: Int) {
        if isListening, let former = watched[chart.id] { catchUp(former, with: chart, in: plan, item: item) }
        watched[chart.id] = WatchedChart(chart, in: plan, item: item)
        waiting[chart.id] = nil
        opened.removeAll { $0 == chart.id }
        opened.append(chart.id)
        while opened.count > Self.mostWatched {
            let former = opened.removeFirst()
            watched[former] = nil
            waiting[former] = nil
        }
        if changes != self.changes { checkSoon([chart.id]) }
    }

    /// Sends a chart's first viewer the changes that a second viewer receives with the chart. The first would never get them otherwise.
    private func catchUp(_ former: WatchedChart, with chart: ViewerChart, in plan: PlanID?, item: ItemID?) {
        guard former.sent != chart else { return }
        spawn { [weak self] in
            var former = former
            let isSamePlace = former.plan == plan && former.item == item
            let there = isSamePlace ? chart : try? await self?.source.read(chart.id, in: former.plan, item: former.item)
            guard let there else { return }
            // The viewer requests each announced image, so do not wait until the images exist.
            for each in former.news(of: there, isDue: { _ in false }).news { self?.onNews?(each) }
        }
    }

    /// Reads the plans again soon.
    func checkPlansSoon() {
        guard isListening, !alarm.isSet else { return }
        alarm.set(in: Self.rhythm) { [weak self] in spawn { [weak self] in await self?.lookAtPlans() } }
    }

    func receive(_ news: AgentNews) {
        if news == .turnedTogether {
            if let together = source.together { onNews?(together) }
            return
        }
        changes += 1
        switch news {
        case .reconciled(let changed):
            // `changed` lacks charts that are not kept ready. It also lacks edits without visible effect in the chart's key, but
            // these may show in another key that a browser displays.
            checkSoon(
                Set(
                    watched.filter { id, chart in
                        changed.contains(id) || !source.agent.keepsReady(id) || source.states(of: id) != chart.sent.ink
                            || chart.sent.chords != nil && source.inKeys(of: id) != chart.sent.inKeys
                    }.keys))
            checkPlansSoon()
        case .published(let name), .failed(let name):
            checkSoon(Set(waiting.filter { $0.value.contains(name) }.keys))
            checkPlansSoon()
        case .polled:
            // Check all watched charts, since a poll may have changed titles, keys and running orders, too.
            checkSoon(Set(watched.keys))
            tellStatus()
            checkPlansSoon()
        case .bandSpoke:
            // Check all watched charts, since another process or device of the musician may have changed what is shared.
            checkSoon(Set(watched.keys))
            checkPlansSoon()
        case .paused: tellStatus()
        // No chart has changed.
        case .turnedTogether: break
        }
    }

    private func checkSoon(_ charts: Set<AttachmentID>) {
        due.formUnion(charts)
        guard !isLooking, !due.isEmpty else { return }
        isLooking = true
        spawn { [weak self] in await self?.lookAtCharts() }
    }

    private func lookAtCharts() async {
        var unread: Set<AttachmentID> = []
        while isListening, let id = due.popFirst() {
            guard let known = watched[id] else { continue }
            do throws(Trouble) {
                let fresh = try await source.read(id, in: known.plan, item: known.item)
                // A viewer may have received a newer version meanwhile.
                guard let (news, waiting) = watched[id]?.news(of: fresh, isDue: source.agent.isDue) else { continue }
                self.waiting[id] = waiting.isEmpty ? nil : waiting
                for each in news { onNews?(each) }
            } catch {
                // A chart that no plan contains has no changes to send.
                if error.kind != .unknown { unread.insert(id) }
            }
        }
        isLooking = false
        guard !unread.isEmpty else { return pause.succeed() }
        guard isListening else { return }
        due.formUnion(unread)
        again.set(in: pause.fail(at: source.clock.now)) { [weak self] in self?.checkSoon([]) }
    }

    private func lookAtPlans() async {
        guard isListening, let fresh = try? await source.plans().map(\.worded), fresh != plans else { return }
        plans = fresh
        onNews?(.plans)
    }

    private func tellStatus() {
        guard let fresh = try? source.status(), fresh != status else { return }
        status = fresh
        onNews?(.status(fresh))
    }
}

/// A chart open in a browser, as last sent to it. Finds the changes to send.
struct WatchedChart {
    private(set) var sent: ViewerChart
    let plan: PlanID?
    let item: ItemID?
    /// Images announced before they existed.
    private var owed: Set<ImageName> = []

    init(_ chart: ViewerChart, in plan: PlanID?, item: ItemID?) {
        sent = chart
        (self.plan, self.item) = (plan, item)
    }

    /// The changes in `fresh`. A page with changed marks is announced once its image exists. If the image will only be made on
    /// request, the page is announced immediately, and again if the image appears after all. `waiting` are the images to wait for.
    mutating func news(of fresh: ViewerChart, isDue: (ImageName) -> Bool) -> (news: [ViewerNews], waiting: Set<ImageName>) {
        guard Self.frame(sent) == Self.frame(fresh) else {
            sent = fresh
            owed = []
            return ([.chart(fresh.id, set: fresh.set)], [])
        }
        var news: [ViewerNews] = []
        var waiting: Set<ImageName> = []
        var owed: Set<ImageName> = []
        for (place, page) in fresh.pages.enumerated() {
            let image = page.annotated
            let isOwed = self.owed.contains(image.name)
            guard sent.pages[place].annotated.name != image.name || isOwed && image.isHere else {
                if isOwed { owed.insert(image.name) }
                continue
            }
            if !image.isHere, isDue(image.name) {
                waiting.insert(image.name)
            } else {
                news.append(.page(chart: fresh.id, page))
                sent.pages[place] = page
                if !image.isHere { owed.insert(image.name) }
            }
        }
        self.owed = owed
        if waiting.isEmpty, sent.ink != fresh.ink {
            sent.ink = fresh.ink
            news.append(.ink(chart: fresh.id, fresh.ink, images: fresh.pages.map(\.annotated.name)))
        }
        // Announce changed layers only after the pages, so that the images exist when a browser requests them.
        if waiting.isEmpty, sent.layers != fresh.layers {
            sent.layers = fresh.layers
            news.append(.chart(fresh.id, set: fresh.set))
        }
        return (news, waiting.union(owed))
    }

    /// A tag of what is shown of a chart, except its marks. If it changes, viewers are told that the whole chart has changed, and
    /// not single pages of it.
    private static func frame(_ chart: ViewerChart) -> String {
        var frame = chart
        frame.layers = []
        for place in frame.pages.indices { frame.pages[place].annotated = frame.pages[place].plain }
        return frame.set
    }
}
