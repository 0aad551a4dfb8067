import CommandLine
import Library
import Model
import Platform

/// The page that 'page' and 'why' are asked for, and what its image is made of.
@LoopActor
struct NamedPage {
    let chart: ChartFinder.Candidate
    let page: PageIndex
    let variant: Variant
    /// `nil` until its pages are counted.
    let description: StoredDescription?
    /// Those that are drawn on it; `nil` for a variant without any.
    let marks: PageMarks?

    nonisolated static let parameters = [
        Parameter.chart, Parameter("page", "the page's number, from 1", type: .integer(1...10_000)),
    ]

    nonisolated static let variant = Flag(
        "variant", "VARIANT", type: .choice(Variant.allCases.map(\.rawValue)),
        "plain, annotated (the default) or thumbnail; a page without marks looks the same plain and annotated")

    init(_ invocation: Invocation, in library: Library) throws {
        chart = try ChartFinder(library).find(invocation.argument("chart") ?? "")
        page = PageIndex((invocation.argument("page") ?? 1) - 1)
        let word: String? = invocation.value("variant")
        variant = word.flatMap { Variant(rawValue: $0) } ?? .annotated
        description = try library.charts.description(of: chart.hash)
        if let pages = description?.pages.count, page.value >= pages {
            throw CommandFailure(.failed, "\(chart.filename) has \(pages.counted("page")), but no \(page)")
        }
        marks =
            variant == .annotated ? PageMarks.join(try library.drawings.visibleLayers(of: chart.attachment, on: chart.hash))[page] : nil
    }

    func inputs(_ settings: RenderSettings, by renderer: RendererIdentity) -> ImageInputs {
        ImageInputs(
            renderer: renderer, chart: chart.hash, chartNeedsFonts: description?.needsFonts ?? true, page: page, variant: variant,
            settings: settings, marks: marks?.digest)
    }
}
