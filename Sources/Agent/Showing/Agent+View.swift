import Freshness
import Library
import Model
import Platform
import Rendering

extension Agent {
    /// What a page looks like now, as the library has it this moment; at the size that is cached, unless it is said. Who names a
    /// folder wants a page of the bytes whose images lie there, and of no others.
    func view(of request: PageRequest, longSide: Int? = nil, in folder: ImageFolder? = nil) async throws(ShowFailure) -> PageView {
        do {
            guard let chart = try parts.library.chart(of: request.chart), try parts.library.hasBytes(of: chart.hash) else {
                throw ShowFailure.notDownloaded
            }
            if let folder, folder != ImageFolder(of: chart.hash) { throw ShowFailure.notWanted }
            guard let description = try parts.library.description(of: chart.hash) else {
                throw try parts.library.unreadable(chart.hash).map { ShowFailure.unreadable($0.reason) } ?? .notCounted
            }
            let pages = description.pages.count
            guard (0..<pages).contains(request.page.value) else { throw ShowFailure.noSuchPage(request.page) }
            // Asking costs nothing once it is known.
            let renderer = try await parts.renderer.identity()
            let marks = request.isMarked ? PageMarks.join(try parts.library.visibleLayers(of: request.chart)) : [:]
            var settings = settings.render
            if let longSide { settings.fullSize = longSide }
            func image(_ page: PageIndex) -> WantedImage {
                let variant: Variant = marks[page] == nil ? .plain : .annotated
                return WantedImage(
                    ImageInputs(
                        renderer: renderer, chart: chart.hash, chartNeedsFonts: description.needsFonts, page: page, variant: variant,
                        settings: settings, marks: marks[page]?.digest),
                    // Nothing is worth more than what is looked at.
                    priority: RenderPriority(planRank: 0, chartPlace: 0, page: page, variant: variant))
            }
            let order = PageSequence(try parts.library.pageOrder(of: request.chart) ?? "", pageCount: pages)
            return PageView(
                image: image(request.page), marks: marks[request.page],
                next: order.next(after: request.page, Attention.nextPages).map(image))
        } catch let failure as ShowFailure {
            throw failure
        } catch RenderFailure.stopped {
            throw .stopped
        } catch let failure as RenderFailure {
            throw .cannotBeDrawn("\(failure)")
        } catch {
            throw .library("\(error)")
        }
    }

    /// Why it is no use to draw an image, as was found out before.
    func reasonNotToDraw(_ image: WantedImage) -> String? {
        guard !failures.mayTry(image) else { return nil }
        return failures[image.name]?.reason ?? "the page cannot be drawn even without marks"
    }
}
