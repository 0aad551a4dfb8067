import Freshness
import ImageKeeping
import Library
public import Model
import PageCache
public import Platform
import Rendering

/// Shows pages on screens: tracks the pages on screen, the selected page, and its waiting callers.
@LoopActor
public final class Showing {
    private let core: AgentCore
    private let maker: PageMaker
    private let precedence: Precedence
    private let views: PageViews
    private let source: ImageSource
    let ahead: ChartsAhead

    /// The newest selection without an answer.
    private var selection: Selection?
    /// Selections with unfinished work, including superseded ones.
    private var unended: [Selection] = []
    /// The images to keep in memory, most important first.
    private var names: [ImageName] = []
    private(set) var plan: PlanID?
    private var isBeingLookedAt = false
    /// When a page was last selected.
    private var selectedAt: Moment?
    /// Called whenever a page is selected.
    var onSelect: (@LoopActor () -> Void)?

    /// The larger images that viewers wait for, oldest first.
    private var live: [LiveImage] = []
    private var liveCount = 0

    init(_ core: AgentCore, maker: PageMaker, precedence: Precedence) {
        (self.core, self.maker, self.precedence) = (core, maker, precedence)
        views = PageViews(core: core, maker: maker)
        source = ImageSource(core, maker: maker)
        ahead = ChartsAhead(core)
    }

    var isIdle: Bool { unended.isEmpty }

    /// Waits until the work of all selections made so far has ended, including superseded ones.
    func idle() async { for selection in unended { await selection.ended() } }

    /// Ends the waiting selection without a page.
    func end() { selection?.settle(.failure(.stopped)) }

    /// Notes that an image was made. If the screen needs it next, it is read into memory in advance.
    func noteMade(_ name: ImageName) {
        if names.contains(name) { spawn { [source] in await source.hold(name) } }
    }

    /// Whether somebody is watching a chart: a viewer is open, and a page was turned recently.
    var isWatched: Bool { isBeingLookedAt && selectedAt.map { core.time.now - $0 < Self.watchedFor } ?? false }

    /// Sets the plan on a screen: the first pages of its charts are made next, after the pages on screen.
    public func noteOpen(plan: PlanID?) {
        self.plan = plan
        noteLookedAt()
        if isBeingLookedAt { core.renderer.warm() }
    }

    /// Sets whether a viewer is open. While one is, each page turn starts the process that draws requested pages, before it is
    /// needed; the process ends after a minute without page turns.
    public func beLookedAt(_ isLookedAt: Bool) {
        let was = isBeingLookedAt
        isBeingLookedAt = isLookedAt
        if isLookedAt { core.renderer.warm() }
        // Save the keeper's records only now, not while pages are being turned.
        if was, !isLookedAt, !core.ending.hasBegun { core.keeper.flush() }
    }

    /// Gets the image of a page that is put on the screen, and has the next two pages made right after it.
    ///
    /// No background work starts until there is an answer. Running work is cancelled only if the page has to be drawn. An answer
    /// from the cache needs no processor time: if it cancelled other work, a musician who turns the pages of a finished plan faster
    /// than a page is drawn would keep all other pages from ever being made. A running job that makes the page itself is not
    /// cancelled, but awaited.
    ///
    /// Of several selections, only the newest is answered; earlier ones fail with `superseded`. Selections also work during a pause.
    ///
    /// `use` names the chart if an attachment has several. Without `use`, the image is of the chart that the plan on the screen
    /// shows first.
    public func select(chart: AttachmentID, page: PageIndex, isMarked: Bool, use: ChartUse? = nil) async throws(Trouble) -> ShownPage {
        let request = PageRequest(chart: chart, page: page, isMarked: isMarked, use: use)
        guard !core.ending.hasBegun else { throw .stopped }
        selectedAt = core.time.now
        onSelect?()
        if let selection, selection.request == request { return try await selection.answered() }
        selection?.settle(.failure(.superseded))
        let new = Selection(request)
        selection = new
        unended.append(new)
        precedence.hold(.selection)
        new.begin { [self] in await answer($0) }
        return try await new.answered()
    }

    private func answer(_ selection: Selection) async -> Selection.Answer {
        let answer: Selection.Answer
        do throws(Trouble) {
            answer = .success(try await show(selection))
        } catch {
            answer = .failure(error)
        }
        unended.removeAll { $0 === selection }
        // A superseded selection must not release work that is held back for another.
        guard self.selection === selection else { return answer }
        self.selection = nil
        precedence.release(.selection)
        if isBeingLookedAt { core.renderer.warm() }
        return answer
    }

    private func show(_ selection: Selection) async throws(Trouble) -> ShownPage {
        let view = try await views.view(of: selection.request, as: plan)
        try check(selection)
        lookAt(view)
        if let shown = await source.kept(view.image.name) { return shown }
        try check(selection)
        if let reason = views.reasonNotToDraw(view.image) { throw .cannotBeDrawn(reason) }
        precedence.breakOff(except: view.image.name)
        if let task = maker.queue.task(making: view.image.name) {
            await task.value
            if let shown = await source.made(view.image.name) { return shown }
            try check(selection)
            if let reason = views.reasonNotToDraw(view.image) { throw .cannotBeDrawn(reason) }
        }
        do {
            return try await source.draw(view)
        } catch {
            guard error as? RenderFailure == .fontsChanged || error as? Trouble == .notWanted else { throw Trouble(ofShowing: error) }
            try check(selection)
        }
        // The fonts or marks have changed, so look the image up again: it has another name now.
        let newer = try await views.view(of: selection.request, as: plan)
        try check(selection)
        lookAt(newer)
        do {
            return try await source.draw(newer)
        } catch {
            throw Trouble(ofShowing: error)
        }
    }

    private func check(_ selection: Selection) throws(Trouble) {
        if core.ending.hasBegun { throw .stopped }
        if selection.isAnswered { throw .superseded }
    }

    /// Notes the page that is now on the screen, and the pages that come next.
    private func lookAt(_ view: PageView) {
        maker.queue.attend(toScreen: view.image.page, next: view.next.map(\.page))
        let names = [view.image.name] + view.next.map(\.name)
        self.names = names
        spawn { [source] in await source.show(names) }
    }

    /// Passes the charts of the plan on the screen to the queue.
    func noteLookedAt() {
        var charts: [ChartHash] = []
        do {
            let contents = try plan.flatMap { try core.library.plans.plan($0) }
            for attachment in contents?.attachments ?? [] {
                if let chart = try core.library.charts.chart(of: attachment.use) { charts.append(chart.hash) }
            }
        } catch {
            core.log.error("\(error)")
        }
        maker.queue.attend(to: charts)
    }

    /// Checks every byte of an image that a browser could not show, and has it made again if it is damaged. Returns whether it is.
    public func checkDamage(of name: ImageName) async -> Bool { await source.checkDamage(of: name) }

    // MARK: - Images by name, and larger ones

    /// The image with this name: from memory, from the disk, or drawn now if the image is wanted or was listed in an outlook.
    /// Selections take precedence.
    public func image(named name: ImageName) async throws(Trouble) -> ShownPage {
        if let kept = await source.kept(name) { return kept }
        do {
            return try await precedence.others.run { [self] in try await drawWanted(name) }
        } catch {
            throw Trouble(ofShowing: error)
        }
    }

    private func drawWanted(_ name: ImageName) async throws -> ShownPage {
        if core.ending.hasBegun { throw Trouble.stopped }
        if let task = maker.queue.task(making: name) { await task.value }
        // Another viewer's request may have had the image made in the meantime.
        if let shown = await source.made(name) { return shown }
        if core.wanted[name] == nil, let bytes = try await ahead.image(name) {
            return ShownPage(name: name, bytes: bytes, source: .rendered)
        }
        guard let image = try core.wanted[name] ?? imageOfOtherPlans(name) else { throw Trouble.notWanted }
        if let reason = views.reasonNotToDraw(image) { throw Trouble.cannotBeDrawn(reason) }
        return try await source.draw(PageView(image: image, next: []))
    }

    /// An image of a chart outside the plans kept ready: viewers know its name from an outlook.
    private func imageOfOtherPlans(_ name: ImageName) throws(LibraryError) -> WantedImage? {
        guard let renderer = core.wanted.renderer else { return nil }
        for use in try core.library.charts.uses(shownFrom: name.folder) {
            guard let snapshot = try core.wants.snapshot(of: use) else { continue }
            let images = PageImages(of: snapshot, by: renderer, core.settings.render)
            if let image = images.wanted.first(where: { $0.name == name }) { return image }
        }
        return nil
    }

    /// A page larger than in the cache, for zooming; never stored. `folder` names the version of the chart that is shown: zooming
    /// must not replace it by another version.
    ///
    /// Of one viewer's requests, only those for the two newest pages are served, each in its newest size: two pages may be side by
    /// side. Selections take precedence.
    public func live(
        chart: AttachmentID, in folder: ImageFolder, page: PageIndex, isMarked: Bool, longSide: Int, for viewer: String = ""
    ) async throws(Trouble) -> ShownPage {
        let request = PageRequest(chart: chart, page: page, isMarked: isMarked)
        let task = spawnThrowing { [self] in
            try await precedence.others.run { [self] in
                if core.ending.hasBegun { throw Trouble.stopped }
                let view = try await views.view(of: request, longSide: longSide, in: folder, as: plan)
                var settings = core.settings.render
                settings.fullSize = longSide
                return ShownPage(name: view.image.name, bytes: try await source.drawn(view, settings: settings), source: .rendered)
            }
        }
        let number = begin(request, longSide: longSide, for: viewer) { task.cancel() }
        let result = await withTaskCancellationHandler {
            await task.result
        } onCancel: {
            task.cancel()
        }
        end(number)
        do {
            return try result.get()
        } catch {
            throw Trouble(ofShowing: error)
        }
    }

    /// Notes that a viewer waits for another larger image. Cancels the viewer's requests for the same page with another size or
    /// another choice of marks. Of the viewer's requests for other pages, only the latest is not cancelled, since a viewer shows at
    /// most two pages at a time.
    private func begin(_ page: PageRequest, longSide: Int, for viewer: String, cancel: @escaping @Sendable () -> Void) -> Int {
        liveCount += 1
        live.append(LiveImage(number: liveCount, viewer: viewer, page: page, longSide: longSide, cancel: cancel))
        let others = live.dropLast().filter { $0.viewer == viewer }
        let resized = others.filter {
            $0.page.chart == page.chart && $0.page.page == page.page && ($0.page != page || $0.longSide != longSide)
        }
        let still = others.filter { other in !resized.contains { $0.number == other.number } }
        for former in resized + still.dropLast(Self.mostLive - 1) {
            end(former.number)
            former.cancel()
        }
        return liveCount
    }

    private func end(_ number: Int) { live.removeAll { $0.number == number } }

    /// The number of larger images for one viewer: two pages side by side.
    private static let mostLive = 2
    /// How long after the last page turn a chart counts as watched. Later, the user may have gone.
    private static let watchedFor: Duration = .seconds(1800)
}

/// A selected page, and the callers that wait for it.
@LoopActor
final class Selection {
    typealias Answer = Result<ShownPage, Trouble>

    let request: PageRequest
    private var answer: Answer?
    private var waiters: [CheckedContinuation<Answer, Never>] = []
    private var task: Task<Void, Never>?

    init(_ request: PageRequest) { self.request = request }

    /// Whether the selection was answered. Its work can then stop.
    var isAnswered: Bool { answer != nil }

    func begin(_ body: @escaping @Sendable @LoopActor (Selection) async -> Answer) { task = spawn { [self] in settle(await body(self)) } }

    /// Answers all waiting callers, once, and cancels the remaining work.
    func settle(_ answer: Answer) {
        guard self.answer == nil else { return }
        self.answer = answer
        task?.cancel()
        for waiter in waiters { waiter.resume(returning: answer) }
        waiters = []
    }

    /// Waits for the answer. The selection stays if the caller disconnects: the musician has turned to that page.
    func answered() async throws(Trouble) -> ShownPage {
        let heard = await withCheckedContinuation { (continuation: CheckedContinuation<Answer, Never>) in
            if let answer { continuation.resume(returning: answer) } else { waiters.append(continuation) }
        }
        return try heard.get()
    }

    /// Waits until the selection's work has ended.
    func ended() async { await task?.value }
}

/// A larger image that is being drawn for a viewer.
struct LiveImage {
    let number: Int
    let viewer: String
    let page: PageRequest
    let longSide: Int
    let cancel: @Sendable () -> Void
}
