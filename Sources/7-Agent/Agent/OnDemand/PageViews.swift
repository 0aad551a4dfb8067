import Freshness
import ImageKeeping
import Library
import Marks
import Model
import PageCache
import Platform
import Rendering

/// Finds the image that currently shows a page.
@LoopActor
struct PageViews {
    let core: AgentCore
    let maker: PageMaker

    /// The current view of a page, by the library's present content. The image has the cache's size unless `longSide` is given.
    /// With a `folder`, the page is from exactly the version of the chart whose images are in that folder; it may be one whose marks followed
    /// the music to the present version. Without a `folder`, the
    /// page is from the chart that the request names, or else from the chart that `plan` shows.
    func view(
        of request: PageRequest, longSide: Int? = nil, in folder: ImageFolder? = nil, as plan: PlanID?
    ) async throws(Trouble) -> PageView {
        do {
            let chart = try chart(of: request, in: folder, as: plan)
            guard let description = try core.library.charts.description(of: chart) else {
                guard try core.library.charts.hasBytes(of: chart) else { throw Trouble.notDownloaded }
                throw try core.library.charts.unreadable(chart).map { Trouble("this chart cannot be opened: \($0.reason)") } ?? .notCounted
            }
            let pages = description.pages.count
            guard (0..<pages).contains(request.page.value) else {
                throw Trouble(.unknown, "this chart has no \(request.page)")
            }
            // Only the first call has to wait for the identity.
            let renderer = try await core.renderer.identity()
            // What marks are on a former version is not drawn any more: its pages only tell where they were.
            let isMarked = try request.isMarked && core.library.charts.all(of: request.chart).contains(chart)
            let marks = isMarked ? try await core.keeper.drawnMarks.digests(of: request.chart, on: chart) : [:]
            var settings = core.settings.render
            if let longSide { settings.fullSize = longSide }
            func image(_ page: PageIndex) -> WantedImage {
                WantedImage(
                    onScreen: ImageInputs(
                        renderer: renderer, chart: chart, chartNeedsFonts: description.needsFonts, page: page,
                        variant: marks[page] == nil ? .plain : .annotated, settings: settings, marks: marks[page]))
            }
            let order = PageSequence(try core.library.charts.pageOrder(of: request.chart) ?? "", pageCount: pages)
            return PageView(image: image(request.page), next: order.next(after: request.page, Attention.nextPages).map(image))
        } catch {
            throw Trouble(ofReading: error)
        }
    }

    /// The chart shown for an attachment: the one that `folder` or the request names, otherwise the one that `plan` shows.
    private func chart(of request: PageRequest, in folder: ImageFolder?, as plan: PlanID?) throws -> ChartHash {
        let (library, attachment) = (core.library, request.chart)
        if let folder {
            let all = try library.charts.all(of: attachment) + library.followed.formerCharts(of: attachment)
            guard !all.isEmpty else { throw Trouble.notDownloaded }
            guard let named = all.first(where: { ImageFolder(of: $0) == folder }) else { throw Trouble.notWanted }
            return named
        }
        let use = try request.use ?? firstUse(of: attachment, in: plan)
        guard let chart = try library.charts.chart(of: use) else { throw Trouble.notDownloaded }
        return chart.hash
    }

    private func firstUse(of attachment: AttachmentID, in plan: PlanID?) throws -> ChartUse {
        let contents = try plan.flatMap { try core.library.plans.plan($0) }
        return contents?.attachments.first { $0.id == attachment }?.use ?? ChartUse(attachment)
    }

    /// Why drawing an image would fail; `nil` if it may succeed.
    func reasonNotToDraw(_ image: WantedImage) -> String? {
        guard !maker.failures.mayTry(image) else { return nil }
        guard let reason = maker.failures[image.name]?.reason else { return "the page cannot be drawn even without marks" }
        let isHereWithoutThem = image.inputs.variant == .annotated && core.wanted.plainImages[image.page].map(core.cache.contains) ?? false
        return isHereWithoutThem ? "its marks cannot be drawn; it is shown without them: \(reason)" : reason
    }
}

/// The image that currently shows a page.
struct PageView {
    let image: WantedImage
    /// The images of the pages that come next.
    let next: [WantedImage]
}
