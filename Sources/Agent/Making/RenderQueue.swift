import Freshness
import Model
import Platform

/// What waits to be rendered and what is being rendered.
///
/// The waiting list is replaced as a whole whenever the library or the cache has changed: only what waits is replaced,
/// a running work ends and is published under its own names.
///
/// While it is held nothing begins. What is broken off is due as it was before: it goes back to its place.
@LoopActor
final class RenderQueue {
    /// Works that run at a time. Fewer of them let those that run come to their end.
    var width: Int {
        didSet { startWhatFits() }
    }
    private let perform: @Sendable @LoopActor (PageWork) async -> Void
    /// In the order that holds when nobody looks.
    private var waiting: [PageWork] = []
    private var running: [RunningWork] = []
    private var holds: Set<YieldingWork.Hold> = []
    private let idleWaiters = Waiters()
    private var isStopped = false

    /// What is looked at: it comes first.
    private(set) var attention = Attention()

    /// Makes a queue that runs `width` works at a time.
    nonisolated init(width: Int, perform: @escaping @Sendable @LoopActor (PageWork) async -> Void) {
        self.width = width
        self.perform = perform
    }

    var isIdle: Bool { waiting.isEmpty && running.isEmpty }

    /// Images that wait or run.
    var imageCount: Int { (waiting + running.map(\.work)).reduce(0) { $0 + $1.images.count } }

    /// Pages that wait or run.
    var pageCount: Int { waiting.count + running.count }

    /// Pages that run.
    var runningCount: Int { running.count }

    /// What waits by the reason for it, the most urgent first, the running not counted; a page whose images are made apart counts once.
    var lanes: [AgentReport.Rendering.Lane] {
        let works = Dictionary(grouping: waiting) { WaitingReason($0, attention) }
        return WaitingReason.allCases.compactMap { reason in
            works[reason].map { works in
                AgentReport.Rendering.Lane(
                    reason.name, pages: Set(works.map { WantedImage.Page(chart: $0.chart, index: $0.page) }).count,
                    images: works.reduce(0) { $0 + $1.images.count })
            }
        }
    }

    var runningPages: [WantedImage.Page] { running.map { WantedImage.Page(chart: $0.work.chart, index: $0.work.page) } }

    /// Replaces what waits, in this order. What is running already is not started again. On the pages `apart` the annotated
    /// image is made by itself.
    func replaceWaiting(with missing: [WantedImage], apart: Set<WantedImage.Page> = []) {
        guard !isStopped else { return }
        let underWay = Set(running.lazy.filter { !$0.isBrokenOff }.flatMap(\.work.images).map(\.name))
        waiting = PageWork.group(missing.filter { !underWay.contains($0.name) }, apart: apart)
        // Whether what was broken off is still due, this list says.
        for work in running { work.comesBack = false }
        startWhatFits()
    }

    /// Has a page come first that is on a screen, and then those that come next.
    func attend(toScreen page: WantedImage.Page, next: [WantedImage.Page]) {
        attention = Attention(onScreen: page, next: next, charts: attention.charts)
    }

    /// Has the first pages of these charts come next: somebody looks at their plan.
    func attend(to charts: [ChartHash]) {
        attention = Attention(onScreen: attention.onScreen, next: attention.next, charts: charts)
    }

    /// Lets nothing begin for this reason until it is released.
    func hold(_ reason: YieldingWork.Hold) { holds.insert(reason) }

    /// Goes on, if there is no other reason not to.
    func release(_ reason: YieldingWork.Hold) {
        guard holds.remove(reason) != nil else { return }
        startWhatFits()
    }

    /// Cancels what runs, but for the work that makes `image`; it stays due.
    func breakOff(except image: ImageName? = nil) {
        for work in running where image.map(work.makes) != true { work.breakOff(comesBack: true) }
    }

    /// Forgets everything that is due, and cancels what runs.
    func cancelAll() {
        waiting = []
        for work in running { work.breakOff(comesBack: false) }
        wakeIfIdle()
    }

    /// The task that makes an image, if it is being made.
    func task(making image: ImageName) -> Task<Void, Never>? {
        running.first { !$0.isBrokenOff && $0.makes(image) }?.task
    }

    /// Waits until nothing waits and nothing runs.
    func idle() async {
        await idleWaiters.wait { isIdle }
    }

    /// Starts nothing any more.
    func stop() {
        isStopped = true
        waiting = []
        wakeIfIdle()
    }

    private func startWhatFits() {
        while holds.isEmpty, running.count < width, let place = attention.mostUrgent(of: waiting, where: mayStart) {
            let work = RunningWork(waiting.remove(at: place))
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

    /// For one page at most one render runs; a newer one waits behind it.
    private func mayStart(_ work: PageWork) -> Bool {
        !running.contains { $0.work.chart == work.chart && $0.work.page == work.page }
    }

    /// Puts a work where it was taken from.
    private func putBack(_ work: PageWork) {
        guard !isStopped else { return }
        waiting.insert(work, at: waiting.firstIndex { work.priority < $0.priority } ?? waiting.endIndex)
    }

    private func wakeIfIdle() {
        if isIdle { idleWaiters.wake() }
    }
}
