import BenchmarkCorpus
import Glibc
import Model
import PageRaster
import Platform

/// Makes pages in this process, stage by stage, with the worker's own parts.
final class StageTimer {
    static let stages = ["raster", "downscale", "encode", "write"]

    private let plain = Raster()
    private let encoder = PNGEncoder()
    private let settings = RenderSettings()
    private let chart: ChartDocument
    private let key: ImageKey
    private let folder: String

    /// For pages of this chart; images go to `folder`.
    init(_ chart: CorpusChart, folder: String) throws {
        let file = try Descriptor.open(chart.path, O_RDONLY)
        self.chart = try ChartDocument(descriptor: file.number)
        key = ImageKey(chart.hash.digest)
        self.folder = folder
    }

    /// The CPU milliseconds that each stage of a page's plain image and thumbnail takes.
    func measure(_ page: CorpusPage) throws -> [Double] {
        let size = try chart.geometry(of: page.index.value).pixels(longSide: settings.thumbnailSize)
        var images: [[UInt8]] = []
        let raster = try time { _ = try chart.draw(page: page.index.value, longSide: settings.fullSize, into: plain) }
        // Compressing counts as encoding: the thumbnail is made from rows that are packed in any case.
        let encode = try time { images = [try encoder.encode(plain, key: key)] }
        let downscale = try time { encoder.shrink(width: size.width, height: size.height) }
        let rest = try time { images.append(encoder.encodeShrunk(key: key)) }
        let write = try time {
            for (number, image) in images.enumerated() {
                try image.withUnsafeBytes { try AtomicFile.write($0, to: folder + "/\(number).png", durability: .none) }
            }
        }
        return [raster, downscale, encode + rest, write]
    }

    private func time(_ stage: () throws -> Void) throws -> Double {
        let start = ProcessFigures.cpuMilliseconds
        try stage()
        return ProcessFigures.cpuMilliseconds - start
    }
}
