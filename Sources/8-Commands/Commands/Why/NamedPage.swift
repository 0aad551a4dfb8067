import CommandLine
import Library
import Model
import Platform

/// The page that `woodshed why` explains, and what its image is made from.
@LoopActor
struct NamedPage {
    let chart: ChartFinder.Candidate
    let page: PageIndex
    let variant: Variant
    /// `nil` until the chart's pages are counted.
    let description: StoredDescription?
    /// The marks that are drawn on the page; `nil` if there are none, or the variant shows none.
    let marks: PageMarks?
    let settings: RenderSettings

    /// `settings` are the configured ones, in which a size given with `--size` replaces the configured size. Throws if the chart
    /// has no page of the given number.
    init(_ invocation: Invocation, in library: Library, settings: RenderSettings) throws {
        chart = try ChartFinder(library).find(invocation.argument("chart") ?? "")
        page = PageIndex((invocation.argument("page") ?? 1) - 1)
        let word: String? = invocation.value("variant")
        variant = word.flatMap { Variant(rawValue: $0) } ?? .annotated
        var settings = settings
        if let size: Int = invocation.value("size") {
            if variant == .thumbnail { settings.thumbnailSize = size } else { settings.fullSize = size }
        }
        self.settings = settings
        description = try library.charts.description(of: chart.hash)
        if let pages = description?.pages.count, page.value >= pages {
            throw CommandFailure(.failed, "\(chart.filename) has \(pages.counted("page")), but no \(page)")
        }
        marks =
            variant == .annotated ? PageMarks.join(try library.drawings.visibleLayers(of: chart.attachment, on: chart.hash))[page] : nil
    }

    func inputs(by renderer: RendererIdentity) -> ImageInputs {
        ImageInputs(
            renderer: renderer, chart: chart.hash, chartNeedsFonts: description?.needsFonts ?? true, page: page, variant: variant,
            settings: settings, marks: marks?.digest)
    }
}
