import Freshness
import Model
import Platform

/// The pages that wait for rendering or are being rendered.
///
/// Whenever the library or the cache has changed, the list of waiting pages is replaced as a whole. Running work is not affected:
/// it is finished and published under its own names.
///
/// While the queue is held back, nothing starts. Work that is broken off goes back to its place in the queue, unless the list was replaced.
///
/// The states of a page's image, and where each is recorded:
///
///     missing ────► waiting ────► being made ────► here
///     `WantedSet`   this queue    this queue       `PageCache`
///       ▲  ▲           ▲            │    │            │
///       │  │           └─ broken off┘    ▼            │
///       │  └─────── after a while ──── failed         │
///       │           or a new name    `ImageFailures`  │
///       └────────── trimmed, damaged, deleted ────────┘
///
/// No image waits while it is being made, and each page is worked on only once at a time. The images of a chart that crashed the
/// renderer wait after all others. Work that starts during the chart's pause makes nothing (`PageMaker`).
@LoopActor
final class RenderQueue {
    /// How many pages are worked on at a time. After lowering it, running work is still finished.
    var width: Int { didSet { startWhatFits() } }
    private let perform: @Sendable @LoopActor (PageWork) async -> Void
    /// The waiting pages, in the order that applies while no viewer is open.
    private var waiting: [PageWork] = []
    private var running: [Running] = []
    private var holds: Set<YieldingWork.Hold> = []
    private let idleWaiters = Waiters()
    private var isStopped = false

    /// The page and plan on a screen, which come first.
    private(set) var attention = Attention()

    /// Creates a queue that works on `width` pages at a time.
    nonisolated init(width: Int, perform: @escaping @Sendable @LoopActor (PageWork) async -> Void) {
        (self.width, self.perform) = (width, perform)
    }

    var isIdle: Bool { waiting.isEmpty && running.isEmpty }

    var imageCount: Int { (waiting + running.map(\.work)).reduce(0) { $0 + $1.images.count } }

    var pageCount: Int { waiting.count + running.count }

    /// The waiting pages by reason, most urgent first, without running work; each page counts once for a reason.
    var lanes: [AgentReport.Rendering.Lane] {
        let works = Dictionary(grouping: waiting) { WaitingReason($0, attention) }
        return WaitingReason.allCases.compactMap { reason in
            works[reason].map { works in
                AgentReport.Rendering.Lane(
                    name: reason.name, pages: Set(works.map { WantedImage.Page(chart: $0.chart, index: $0.page) }).count,
                    images: works.reduce(0) { $0 + $1.images.count })
            }
        }
    }

    var runningPages: [WantedImage.Page] { running.map { WantedImage.Page(chart: $0.work.chart, index: $0.work.page) } }

    /// Replaces the waiting work with the missing images, in their order. Images that are being made are not queued again. For the
    /// pages in `apart`, the annotated image is made separately.
    func replaceWaiting(with missing: [WantedImage], apart: Set<WantedImage.Page> = []) {
        guard !isStopped else { return }
        let underWay = Set(running.lazy.filter { !$0.isBrokenOff }.flatMap(\.work.images).map(\.name))
        waiting = PageWork.group(missing.filter { !underWay.contains($0.name) }, apart: apart)
        // The new list decides whether work that was broken off is still needed.
        for work in running { work.forget() }
        assert(isRight)
        startWhatFits()
    }

    private var isRight: Bool {
        let underWay = Set(running.lazy.filter { !$0.isBrokenOff }.flatMap(\.work.images).map(\.name))
        return Set(runningPages).count == running.count && waiting.allSatisfy { $0.images.allSatisfy { !underWay.contains($0.name) } }
    }

    /// Puts the page on a screen first, and then the pages that come next.
    func attend(toScreen page: WantedImage.Page, next: [WantedImage.Page]) {
        attention = Attention(onScreen: page, next: next, charts: attention.charts)
    }

    /// Puts the first pages of these charts, whose plan is on a screen, after the page on the screen and the pages that come next.
    func attend(to charts: [ChartHash]) { attention = Attention(onScreen: attention.onScreen, next: attention.next, charts: charts) }

    /// Keeps work from starting until this reason is released.
    func hold(_ reason: YieldingWork.Hold) { holds.insert(reason) }

    /// Releases a reason, and starts work if no other reason remains.
    func release(_ reason: YieldingWork.Hold) {
        guard holds.remove(reason) != nil else { return }
        startWhatFits()
    }

    /// Cancels running work except on `image`; the cancelled work will be done later.
    func breakOff(except image: ImageName? = nil) {
        for work in running where image.map(work.makes) != true { work.breakOff() }
    }

    /// The task that is making this image, if there is one.
    func task(making image: ImageName) -> Task<Void, Never>? { running.first { !$0.isBrokenOff && $0.makes(image) }?.task }

    func idle() async { await idleWaiters.wait { isIdle } }

    /// Starts no more work.
    func stop() {
        isStopped = true
        waiting = []
        wakeIfIdle()
    }

    private func startWhatFits() {
        while holds.isEmpty, running.count < width, let place = attention.mostUrgent(of: waiting, where: mayStart) {
            let work = Running(waiting.remove(at: place))
            running.append(work)
            work.task = spawn { [self] in
                await perform(work.work)
                running.removeAll { $0 === work }
                if work.comesBack { putBack(work.work) }
                startWhatFits()
                wakeIfIdle()
            }
        }
    }

    /// Each page is worked on only once at a time; newer work on it waits.
    private func mayStart(_ work: PageWork) -> Bool { !running.contains { $0.work.chart == work.chart && $0.work.page == work.page } }

    private func putBack(_ work: PageWork) {
        guard !isStopped else { return }
        waiting.insert(work, at: waiting.firstIndex { work.priority < $0.priority } ?? waiting.endIndex)
        assert(isRight)
    }

    private func wakeIfIdle() {
        if isIdle { idleWaiters.wake() }
    }
}

/// Work on a page that has started.
@LoopActor
private final class Running {
    private enum Stage {
        case drawing
        /// The task is cancelled; afterwards, the work may go back to the queue.
        case brokenOff(comesBack: Bool)
    }

    let work: PageWork
    var task: Task<Void, Never>?
    private var stage = Stage.drawing

    init(_ work: PageWork) { self.work = work }

    var isBrokenOff: Bool { if case .brokenOff = stage { true } else { false } }
    var comesBack: Bool { if case .brokenOff(true) = stage { true } else { false } }

    func makes(_ image: ImageName) -> Bool { work.images.contains { $0.name == image } }

    func breakOff() {
        guard !isBrokenOff else { return }
        stage = .brokenOff(comesBack: true)
        task?.cancel()
    }

    /// Keeps broken-off work from going back to the queue.
    func forget() {
        if isBrokenOff { stage = .brokenOff(comesBack: false) }
    }
}

/// Why a page waits for rendering, as a person would put it; most urgent first.
enum WaitingReason: Int, CaseIterable, Sendable {
    case onScreen
    case next
    case lookedAt
    case nextPlan
    case laterPlans

    /// The reason for this work, with `attention` on what is on a screen.
    init(_ work: PageWork, _ attention: Attention) {
        self =
            switch attention.urgency(of: work) {
            case .onScreen: .onScreen
            case .next: .next
            case .lookedAt, .lookedAtThumbnail: .lookedAt
            case .ahead: work.priority.planRank == 0 ? .nextPlan : .laterPlans
            }
    }

    var name: String {
        switch self {
        case .onScreen: "page on screen"
        case .next: "next pages"
        case .lookedAt: "plan on screen"
        case .nextPlan: "next plan"
        case .laterPlans: "later plans"
        }
    }
}
