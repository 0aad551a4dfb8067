import Freshness
import Keeping
import Library
import Model
import PageCache
import Platform
import Rendering

/// Shows pages on screens: what is on screen, what is selected, and who is waiting for it.
@LoopActor
final class Showing {
    private let parts: Agent.Parts
    private let keeper: CacheKeeper
    private let maker: PageMaker
    private let views: PageViews
    let source: ImageSource
    let requests: ImageRequests
    private let precedence: Precedence
    private let ending: AgentEnding

    /// The selection that is to be answered; if there are several, the newest.
    private var selection: Selection?
    /// Selections whose work has not ended, including superseded ones.
    private var unended: [Selection] = []
    /// The images that are to be in memory, most important first.
    private var names: [ImageName] = []
    private(set) var plan: PlanID?
    private var isBeingLookedAt = false

    init(
        _ parts: Agent.Parts, _ settings: RenderSettings, keeper: CacheKeeper, memory: MemoryTier, maker: PageMaker, wanted: Wanted,
        viewing: Viewing, precedence: Precedence, look: LookAnew, ending: AgentEnding
    ) {
        self.parts = parts
        self.keeper = keeper
        self.maker = maker
        self.precedence = precedence
        self.ending = ending
        views = PageViews(parts: parts, settings: settings, maker: maker, wanted: wanted, drawnMarks: keeper.drawnMarks)
        source = ImageSource(
            parts, settings, memory: memory, maker: maker, wanted: wanted, drawnMarks: keeper.drawnMarks, look: look, ending: ending)
        requests = ImageRequests(
            settings, keeper: keeper, maker: maker, wanted: wanted, viewing: viewing, views: views, source: source,
            precedence: precedence, ending: ending)
    }

    var isIdle: Bool { unended.isEmpty }

    /// Waits until all selections made so far have been answered.
    func idle() async { for selection in unended { await selection.ended() } }

    /// Tells whoever waits for a page that it is not coming any more.
    func end() { selection?.settle(.failure(.stopped)) }

    /// Notes that an image was made: if it comes next on the screen, it is read before it is asked for.
    func noteMade(_ name: ImageName) {
        if names.contains(name) { spawn { [source] in await source.hold(name) } }
    }

    /// Says which plan somebody is looking at: the first pages of its charts are made next, after what is on the screen.
    func lookAt(plan: PlanID?) {
        self.plan = plan
        noteLookedAt()
        if isBeingLookedAt { parts.renderer.warm() }
    }

    /// Says whether somebody has a viewer open. While one is open, the process that draws requested pages is started before it is needed,
    /// whenever a page is turned; it ends when no page was turned for a minute.
    func beLookedAt(_ isLookedAt: Bool) {
        let was = isBeingLookedAt
        isBeingLookedAt = isLookedAt
        if isLookedAt { parts.renderer.warm() }
        // Only now, so that nothing is written while pages are turned.
        if was, !isLookedAt, !ending.hasBegun { keeper.flush() }
    }

    /// Finds the image of a page that goes on the screen, and has the next two made right after it.
    ///
    /// Nothing begins in the background until there is an answer. What is running there is broken off only if the page has to be drawn:
    /// an answer from the cache needs no processor time, and if it cancelled other work, somebody who turns the pages of a finished plan
    /// faster than one page is drawn would keep all other pages from ever being made. The job that draws the page itself is never broken
    /// off: it is waited for.
    ///
    /// If there are several selections, only the newest is answered; those before it fail with `superseded`. It works while paused, too.
    func select(_ request: PageRequest) async throws(ShowFailure) -> ShownPage {
        guard !ending.hasBegun else { throw .stopped }
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
        do throws(ShowFailure) {
            let shown = try await show(selection)
            keeper.shown.noteSelected(shown.name, wasDrawn: shown.source == .rendered)
            answer = .success(shown)
        } catch {
            answer = .failure(error)
        }
        unended.removeAll { $0 === selection }
        // A superseded selection must not release what is held back for another.
        guard self.selection === selection else { return answer }
        self.selection = nil
        precedence.release(.selection)
        if isBeingLookedAt { parts.renderer.warm() }
        return answer
    }

    private func show(_ selection: Selection) async throws(ShowFailure) -> ShownPage {
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
        } catch RenderFailure.fontsChanged, ShowFailure.notWanted {
            try check(selection)
        } catch {
            throw ShowFailure(error)
        }
        // With the present fonts or marks, the image has another name.
        let newer = try await views.view(of: selection.request, as: plan)
        try check(selection)
        lookAt(newer)
        do {
            return try await source.draw(newer)
        } catch {
            throw ShowFailure(error)
        }
    }

    private func check(_ selection: Selection) throws(ShowFailure) {
        if ending.hasBegun { throw .stopped }
        if selection.isAnswered { throw .superseded }
    }

    /// Notes which page is on the screen from now on, and which come next.
    private func lookAt(_ view: PageView) {
        maker.queue.attend(toScreen: view.image.page, next: view.next.map(\.page))
        let names = [view.image.name] + view.next.map(\.name)
        self.names = names
        spawn { [source] in await source.show(names) }
    }

    /// Finds out which charts belong to the plan that is being looked at.
    func noteLookedAt() {
        var charts: [ChartHash] = []
        do {
            let contents = try plan.flatMap { plan in try parts.library.plans.all().first { $0.plan.id == plan } }
            for attachment in contents?.attachments ?? [] {
                if let chart = try parts.library.charts.chart(of: attachment.use) { charts.append(chart.hash) }
            }
        } catch {
            parts.log.error("\(error)")
        }
        maker.queue.attend(to: charts)
    }
}
