import BenchmarkCorpus
import Glibc
import Model
import PageRaster
import Platform

/// Makes pages in this process, stage by stage, with the worker's own parts.
final class StageTimer {
    private let plain = Raster()
    private let encoder = PNGEncoder()
    private let settings = RenderSettings()
    private let folder: String
    private var open: (path: String, chart: ChartDocument)?

    /// Images go to `folder`.
    init(folder: String) {
        self.folder = folder
    }

    /// The stages of a page's plain image and thumbnail.
    func measure(_ page: CorpusPage) throws -> StageCosts {
        let chart = try document(page.chart.path)
        let key = ImageKey(page.chart.hash.digest)
        var costs = StageCosts()
        try time(&costs.raster) { _ = try chart.draw(page: page.index.value, longSide: settings.fullSize, into: plain) }
        let size = try chart.geometry(of: page.index.value).pixels(longSide: settings.thumbnailSize)
        var images: [[UInt8]] = []
        // Compressing counts as encoding: the thumbnail is made from rows that are packed in any case.
        try time(&costs.encode) { images = [try encoder.encode(plain, key: key)] }
        try time(&costs.downscale) { encoder.shrink(width: size.width, height: size.height) }
        var rest = 0.0
        try time(&rest) { images.append(encoder.encodeShrunk(key: key)) }
        costs.encode += rest
        try time(&costs.write) {
            for (number, image) in images.enumerated() {
                try image.withUnsafeBytes { try AtomicFile.write($0, to: folder + "/\(number).png", durability: .none) }
            }
        }
        return costs
    }

    private func document(_ path: String) throws -> ChartDocument {
        if let open, open.path == path { return open.chart }
        let file = try Descriptor.open(path, O_RDONLY)
        let chart = try ChartDocument(descriptor: file.number)
        open = (path, chart)
        return chart
    }

    private func time(_ milliseconds: inout Double, _ stage: () throws -> Void) throws {
        let start = ProcessFigures.cpuMilliseconds
        try stage()
        milliseconds = ProcessFigures.cpuMilliseconds - start
    }
}
