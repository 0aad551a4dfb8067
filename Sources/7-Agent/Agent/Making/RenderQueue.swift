import Freshness
import Model
import Platform

/// The pages that wait to be rendered or are being rendered.
///
/// The list of waiting pages is replaced as a whole whenever the library or the cache has changed. Running work is not affected: it is
/// finished and published under its own names.
///
/// While the queue is held back, nothing begins. Work that is broken off is as due as before: it goes back to its place.
///
/// The life of a page's image, with who knows of each state:
///
///     missing ────► waiting ────► being made ────► here
///     `WantedSet`   this queue    this queue       `PageCache`
///       ▲  ▲           ▲            │    │            │
///       │  │           └─ broken off┘    ▼            │
///       │  └─────── after a while ──── failed         │
///       │           or a new name    `ImageFailures`  │
///       └────────── trimmed, damaged, deleted ────────┘
///
/// No image waits while it is being made, and each page is worked on once at a time. The images of a chart that took the renderer down
/// wait like others, but rest first (`PageMaker`).
@LoopActor
final class RenderQueue {
    /// How many pages are worked on at a time. Lowering it lets those that are running finish.
    var width: Int { didSet { startWhatFits() } }
    private let perform: @Sendable @LoopActor (PageWork) async -> Void
    /// In the order that applies when no viewer is open.
    private var waiting: [PageWork] = []
    private var running: [Running] = []
    private var holds: Set<YieldingWork.Hold> = []
    private let idleWaiters = Waiters()
    private var isStopped = false

    /// The page and plan on a screen come first.
    private(set) var attention = Attention()

    /// Makes a queue that works on `width` pages at a time.
    nonisolated init(width: Int, perform: @escaping @Sendable @LoopActor (PageWork) async -> Void) {
        (self.width, self.perform) = (width, perform)
    }

    var isIdle: Bool { waiting.isEmpty && running.isEmpty }

    var imageCount: Int { (waiting + running.map(\.work)).reduce(0) { $0 + $1.images.count } }

    var pageCount: Int { waiting.count + running.count }

    /// The waiting pages by reason, the most urgent first, without those that are running; each page counts once.
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

    /// Replaces the waiting work, in this order. Running work is not started again. On the pages `apart`, the annotated image is made
    /// separately.
    func replaceWaiting(with missing: [WantedImage], apart: Set<WantedImage.Page> = []) {
        guard !isStopped else { return }
        let underWay = Set(running.lazy.filter { !$0.isBrokenOff }.flatMap(\.work.images).map(\.name))
        waiting = PageWork.group(missing.filter { !underWay.contains($0.name) }, apart: apart)
        // Whether work that was broken off is still due depends on this list.
        for work in running { work.forget() }
        assert(isRight)
        startWhatFits()
    }

    private var isRight: Bool {
        let underWay = Set(running.lazy.filter { !$0.isBrokenOff }.flatMap(\.work.images).map(\.name))
        return Set(runningPages).count == running.count && waiting.allSatisfy { $0.images.allSatisfy { !underWay.contains($0.name) } }
    }

    /// Puts a page first because it is on a screen, and then the pages that come next.
    func attend(toScreen page: WantedImage.Page, next: [WantedImage.Page]) {
        attention = Attention(onScreen: page, next: next, charts: attention.charts)
    }

    /// Puts the first pages of these charts next, since their plan is on a screen.
    func attend(to charts: [ChartHash]) { attention = Attention(onScreen: attention.onScreen, next: attention.next, charts: charts) }

    /// Lets nothing begin until this reason is released.
    func hold(_ reason: YieldingWork.Hold) { holds.insert(reason) }

    /// Goes on, unless there is another reason not to.
    func release(_ reason: YieldingWork.Hold) {
        guard holds.remove(reason) != nil else { return }
        startWhatFits()
    }

    /// Cancels running work, except the work that makes `image`; what was cancelled stays due.
    func breakOff(except image: ImageName? = nil) {
        for work in running where image.map(work.makes) != true { work.breakOff() }
    }

    /// The task that makes an image, if it is being made.
    func task(making image: ImageName) -> Task<Void, Never>? { running.first { !$0.isBrokenOff && $0.makes(image) }?.task }

    func idle() async { await idleWaiters.wait { isIdle } }

    /// Starts nothing any more.
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

    /// Each page is worked on once at a time; newer work on it waits.
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

/// Work on a page that has begun.
@LoopActor
private final class Running {
    private enum Stage {
        case drawing
        /// Its task is cancelled; it may be due again when that has ended.
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

    /// Notes that it is not due again when it has ended.
    func forget() {
        if isBrokenOff { stage = .brokenOff(comesBack: false) }
    }
}

/// Why a page waits to be drawn, in a person's words; the most urgent first.
enum WaitingReason: Int, CaseIterable, Sendable {
    case onScreen
    case next
    case lookedAt
    case nextPlan
    case laterPlans

    /// Why this work waits, given what `attention` is paid to.
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
