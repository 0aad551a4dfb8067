import Freshness
import Library
public import Model
import PageCache
import Platform
import Rendering

extension Agent {
    /// Says which plan somebody looks at: the first pages of its charts are made next, after what is on the screen.
    public func lookAt(plan: PlanID?) {
        showing.plan = plan
        noteLookedAt()
        if isBeingLookedAt { parts.renderer.warm() }
    }

    /// Finds the image of a page that goes on the screen, and has the next two made right after it.
    ///
    /// Nothing begins in the background until there is an answer. What runs there is broken off only when the page has to be drawn:
    /// an answer out of the cache needs no processor, and were it to cancel, whoever turns the pages of a plan that is ready faster
    /// than one is drawn would keep all others from ever being made. The page's own job is never broken off: it is waited for.
    ///
    /// Of several selections only the newest is answered; those before it fail with `superseded`. It works while paused, too.
    public func select(chart: AttachmentID, page: PageIndex, isMarked: Bool) async throws(ShowFailure) -> ShownPage {
        guard !isStopping else { throw .stopped }
        let request = PageRequest(chart: chart, page: page, isMarked: isMarked)
        if let selection = showing.selection, selection.request == request { return try await selection.answered() }
        showing.selection?.settle(.failure(.superseded))
        let selection = Selection(request)
        showing.selection = selection
        showing.unended.append(selection)
        hold(.selection)
        selection.begin { [self] in await answer($0) }
        return try await selection.answered()
    }

    private func answer(_ selection: Selection) async -> Selection.Answer {
        let answer: Selection.Answer
        do throws(ShowFailure) {
            let shown = try await show(selection)
            keeper.shown.noteSelected(shown)
            answer = .success(shown)
        } catch {
            answer = .failure(error)
        }
        showing.unended.removeAll { $0 === selection }
        // One that was superseded has nothing to say about what is held for another.
        guard showing.selection === selection else { return answer }
        showing.selection = nil
        release(.selection)
        if isBeingLookedAt { parts.renderer.warm() }
        return answer
    }

    private func show(_ selection: Selection) async throws(ShowFailure) -> ShownPage {
        let view = try await view(of: selection.request)
        try check(selection)
        lookAt(view)
        if let shown = await kept(view.image.name) { return shown }
        try check(selection)
        if let reason = reasonNotToDraw(view.image) { throw .cannotBeDrawn(reason) }
        breakOff(except: view.image.name)
        if let task = queue.task(making: view.image.name) {
            await task.value
            if let shown = await made(view.image.name) { return shown }
            try check(selection)
            if let reason = reasonNotToDraw(view.image) { throw .cannotBeDrawn(reason) }
        }
        do {
            return try await draw(view)
        } catch RenderFailure.fontsChanged {
            try check(selection)
        } catch {
            throw failure(error)
        }
        // With the fonts of now it has another name.
        let newer = try await self.view(of: selection.request)
        try check(selection)
        lookAt(newer)
        do {
            return try await draw(newer)
        } catch {
            throw failure(error)
        }
    }

    private func check(_ selection: Selection) throws(ShowFailure) {
        if isStopping { throw .stopped }
        if selection.isAnswered { throw .superseded }
    }

    /// Takes note of the page that is on the screen from now on, and of those that come next.
    private func lookAt(_ view: PageView) {
        queue.attention = Attention(onScreen: view.image.page, next: view.next.map(\.page), charts: queue.attention.charts)
        showing.names = [view.image.name] + view.next.map(\.name)
        let names = showing.names
        spawn { [self] in for name in await memory.show(names) { await mend(name) } }
    }

    /// Finds out which charts the plan has that is being looked at.
    func noteLookedAt() {
        var charts: [ChartHash] = []
        do {
            let contents = try showing.plan.flatMap { plan in try parts.library.plans().first { $0.plan.id == plan } }
            for attachment in contents?.attachments ?? [] {
                if let chart = try parts.library.chart(of: attachment.use) { charts.append(chart.hash) }
            }
        } catch {
            parts.log.error("\(error)")
        }
        queue.attention = Attention(onScreen: queue.attention.onScreen, next: queue.attention.next, charts: charts)
    }
}
