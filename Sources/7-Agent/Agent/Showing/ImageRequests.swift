import Freshness
import Keeping
import Model
import PageCache
import Platform
import Rendering

/// Images that viewers ask for by name, and pages larger than in the cache. A selection takes precedence over both.
@LoopActor
final class ImageRequests {
    private let settings: RenderSettings
    private let keeper: CacheKeeper
    private let maker: PageMaker
    private let wanted: Wanted
    private let viewing: Viewing
    private let views: PageViews
    private let source: ImageSource
    private let precedence: Precedence
    private let ending: AgentEnding
    /// The larger images that viewers have asked for, oldest first.
    private var live: [LiveImage] = []
    private var liveCount = 0

    init(
        _ settings: RenderSettings, keeper: CacheKeeper, maker: PageMaker, wanted: Wanted, viewing: Viewing, views: PageViews,
        source: ImageSource, precedence: Precedence, ending: AgentEnding
    ) {
        self.settings = settings
        self.keeper = keeper
        self.maker = maker
        self.wanted = wanted
        self.viewing = viewing
        self.views = views
        self.source = source
        self.precedence = precedence
        self.ending = ending
    }

    /// The image with this name: from memory, from the disk, or drawn now if it is wanted or was named by an outlook. A selection takes
    /// precedence.
    func image(named name: ImageName) async throws(ShowFailure) -> ShownPage {
        let shown: ShownPage
        if let kept = await source.kept(name) {
            shown = kept
        } else {
            do {
                shown = try await precedence.others.run { [self] in try await drawWanted(name) }
            } catch {
                throw ShowFailure(error)
            }
        }
        keeper.shown.noteSent(shown.name, wasDrawn: shown.source == .rendered)
        return shown
    }

    private func drawWanted(_ name: ImageName) async throws -> ShownPage {
        if ending.hasBegun { throw ShowFailure.stopped }
        if let task = maker.queue.task(making: name) { await task.value }
        // It may have been made meanwhile, because somebody else asked for it.
        if let shown = await source.made(name) { return shown }
        guard let image = wanted[name] ?? viewing.offered(name) else {
            throw ShowFailure.notWanted
        }
        if let reason = views.reasonNotToDraw(image) { throw ShowFailure.cannotBeDrawn(reason) }
        return try await source.draw(PageView(image: image, next: []))
    }

    /// A page larger than in the cache, for a magnifying glass. It is never kept. `folder` says which version of the chart the page is
    /// from: whoever looks at a former version must not see another one through the glass.
    ///
    /// Of what one viewer asks for, only the two newest pages are drawn, each in its newest size: they may be side by side. A selection
    /// takes precedence.
    func live(
        chart: AttachmentID, in folder: ImageFolder, page: PageIndex, isMarked: Bool, longSide: Int, as plan: PlanID?, for viewer: String
    ) async throws(ShowFailure) -> ShownPage {
        let request = PageRequest(chart: chart, page: page, isMarked: isMarked)
        let task = spawnThrowing { [self] in
            try await precedence.others.run { [self] in
                if ending.hasBegun { throw ShowFailure.stopped }
                let view = try await views.view(of: request, longSide: longSide, in: folder, as: plan)
                var settings = settings
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
            throw ShowFailure(error)
        }
    }

    /// Registers that a viewer waits for another larger image. This replaces the same page in another size or look; and since nobody sees
    /// more than two pages at a time, it also replaces all earlier ones but the latest.
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

    /// Larger images for one viewer at a time: two pages side by side.
    private static let mostLive = 2
}
