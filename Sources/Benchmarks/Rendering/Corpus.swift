import BenchmarkCorpus
import CPNG
import Model
import Platform
import Rendering

/// A page to measure with.
struct CorpusPage: Hashable, Sendable {
    let chart: CorpusChart
    let index: PageIndex
    /// How many pages its chart has.
    let pageCount: Int
    /// The size of its full image.
    let width: Int
    let height: Int
    let kind: PageClass
    /// The bytes of its plain image.
    let plainBytes: Int

    var name: String { pageCount == 1 ? chart.name : "\(chart.name) \(index.number)" }
}

/// The pages to measure, in the order of their charts.
struct Corpus: Sendable {
    /// The pages, grouped by chart.
    private(set) var charts: [[CorpusPage]] = []
    /// What could not be opened or drawn, a sentence each.
    private(set) var leftOut: [String] = []

    /// Opens and draws every chart once: this shows sizes and colours, and what cannot be measured.
    @LoopActor
    init(_ files: [CorpusChart], with renderer: MeasuredRenderer) async throws {
        var known: Set<ChartHash> = []
        for chart in files where known.insert(chart.hash).inserted {
            do {
                let pages = try await Self.pages(of: chart, with: renderer)
                if !pages.isEmpty { charts.append(pages) }
            } catch let failure as RenderFailure {
                leftOut.append("left out: \(chart.path): \(failure)")
            }
        }
        guard !pages.isEmpty else { throw BenchmarkFailure("there is no page to measure") }
    }

    var pages: [CorpusPage] { charts.flatMap(\.self) }

    /// The pages of one class.
    subscript(kind: PageClass) -> [CorpusPage] { pages.filter { $0.kind == kind } }

    @LoopActor
    private static func pages(of chart: CorpusChart, with renderer: MeasuredRenderer) async throws -> [CorpusPage] {
        let description = try await renderer.pool.describe(chart: chart.path)
        var pages: [CorpusPage] = []
        for number in description.pages.indices {
            let made = try await renderer.render(chart, PageIndex(number), [.plain])
            let bytes = try AtomicFile.read(made.paths[0], limit: 1 << 30)
            let image = try DecodedImage(bytes)
            let kind = PageClass(images: chart.images, pageCount: description.pages.count, isGray: image.isGray)
            pages.append(
                CorpusPage(
                    chart: chart, index: PageIndex(number), pageCount: description.pages.count, width: image.width, height: image.height,
                    kind: kind, plainBytes: bytes.count))
            try renderer.clear()
        }
        return pages
    }
}

/// An image as decoded by libpng, which is independent of our encoder.
struct DecodedImage: Hashable, Sendable {
    let width: Int
    let height: Int
    let isGray: Bool
    /// Row by row from the top, with one byte per channel.
    let pixels: [UInt8]

    /// Decodes a PNG without alpha.
    init(_ bytes: [UInt8]) throws(BenchmarkFailure) {
        var image = png_image()
        image.version = png_uint_32(PNG_IMAGE_VERSION)
        defer { png_image_free(&image) }
        // libpng keeps the pointer from the first call to the last.
        let decoded: (isGray: Bool, pixels: [UInt8])? = bytes.withUnsafeBytes { bytes in
            guard png_image_begin_read_from_memory(&image, bytes.baseAddress, bytes.count) != 0 else { return nil }
            // Eight-bit gray or RGB, whichever is in the file.
            image.format &= Self.colour
            let rowBytes = Int(image.width) * (image.format == 0 ? 1 : 3)
            var pixels = [UInt8](repeating: 0, count: rowBytes * Int(image.height))
            guard png_image_finish_read(&image, nil, &pixels, png_int_32(rowBytes), nil) != 0, image.warning_or_error == 0 else {
                return nil
            }
            return (image.format == 0, pixels)
        }
        guard let decoded else { throw BenchmarkFailure("libpng finds an image of ours broken: \(Self.message(of: image))") }
        width = Int(image.width)
        height = Int(image.height)
        isGray = decoded.isGray
        pixels = decoded.pixels
    }

    /// The size in bytes when libpng encodes the same pixels; by default it uses level 6 and tries all filters.
    func bytesByLibpng() throws(BenchmarkFailure) -> Int {
        var image = png_image()
        image.version = png_uint_32(PNG_IMAGE_VERSION)
        image.width = png_uint_32(width)
        image.height = png_uint_32(height)
        image.format = isGray ? 0 : Self.colour
        defer { png_image_free(&image) }
        var count = 0
        let rowBytes = png_int_32(width * (isGray ? 1 : 3))
        guard png_image_write_to_memory(&image, nil, &count, 0, pixels, rowBytes, nil) != 0 else {
            throw BenchmarkFailure("libpng cannot write an image")
        }
        return count
    }

    private static func message(of image: png_image) -> String {
        withUnsafeBytes(of: image.message) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }

    /// PNG_FORMAT_FLAG_COLOR, which Swift does not import.
    private static let colour: png_uint_32 = 2
}
