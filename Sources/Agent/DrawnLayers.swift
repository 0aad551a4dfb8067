import Library
import Model
import Platform

/// The layers that are drawn on a chart, kept while its pages are made one after the other: reading them is most of the work
/// of telling whose marks an image shows.
@LoopActor
struct DrawnLayers {
    private var chart: ChartHash?
    /// One list for each attachment that has the chart's bytes.
    private var lists: [[Layer]] = []

    nonisolated init() {}

    /// What each layer draws on an image with these marks; `nil` where there are none, or the library has others by now.
    mutating func parts(of inputs: ImageInputs, in library: Library) throws(LibraryError) -> [ImageMakings.LayerPart]? {
        guard let marks = inputs.marks else { return nil }
        if chart == inputs.chart, let parts = parts(drawing: marks, on: inputs.page) { return parts }
        lists = []
        for attachment in try library.attachments(with: inputs.chart) { lists.append(try library.visibleLayers(of: attachment)) }
        chart = inputs.chart
        return parts(drawing: marks, on: inputs.page)
    }

    private func parts(drawing marks: MarkDigest, on page: PageIndex) -> [ImageMakings.LayerPart]? {
        for layers in lists {
            let here = layers.map { layer in
                var layer = layer
                layer.marks.removeAll { $0.page != page }
                return layer
            }
            if PageMarks.join(here)[page]?.digest == marks { return ImageMakings.parts(of: here, on: page) }
        }
        return nil
    }
}
