import CJPEG
import CorpusScan
import Glibc
import Model
import PageRaster
import Platform

extension CorpusChart {
    private static let photographed = "piano-album"
    private static let pages = [0, 4]

    /// Photographs of two of the demo's pages, written to `folder`: gray and in colour at 300 dpi as JPEG, and in black and white at
    /// 600 dpi as fax data.
    package static func photographs(of demo: [CorpusChart], in folder: String) throws -> [CorpusChart] {
        guard let chart = demo.first(where: { $0.name == photographed }) else { return [] }
        let file = try Descriptor.open(chart.path, O_RDONLY)
        let document = try ChartDocument(descriptor: file.number)
        let photographs = try pages.enumerated().map { seed, page in
            try PhotographedPage(document, page: page, dpi: 300, seed: UInt64(seed))
        }
        return try [
            ("photograph-gray-300", pdf(photographs, isGray: true)), ("photograph-colour-300", pdf(photographs, isGray: false)),
            ("scan-bilevel-600", Array(UnsafeRawBufferPointer(start: corpus_scan(), count: corpus_scan_size()))),
        ]
        .map { name, bytes in
            let path = "\(folder)/\(name).pdf"
            try bytes.withUnsafeBytes { try AtomicFile.write($0, to: path, durability: .none) }
            return try CorpusChart(path: path, isPhotograph: true)
        }
    }

    /// A PDF with one JPEG on each page, as scanners write it.
    private static func pdf(_ photographs: [PhotographedPage], isGray: Bool) -> [UInt8] {
        // After the catalogue and the list of pages, each page has three objects, of which it is the last.
        let kids = photographs.indices.map { "\(3 * $0 + 5) 0 R" }.joined(separator: " ")
        var objects = [object("/Type /Catalog /Pages 2 0 R"), object("/Type /Pages /Kids [\(kids)] /Count \(photographs.count)")]
        for page in photographs {
            let jpeg = JPEGEncoder.image(page.pixels(isGray: isGray), width: page.width, height: page.height, isGray: isGray)
            let picture = objects.count + 1
            let (width, height) = (page.points.width, page.points.height)
            objects += [
                object(
                    """
                    /Type /XObject /Subtype /Image /Width \(page.width) /Height \(page.height) /BitsPerComponent 8 \
                    /ColorSpace /Device\(isGray ? "Gray" : "RGB") /Filter /DCTDecode
                    """, stream: jpeg),
                object("", stream: Array("\(width) 0 0 \(height) 0 0 cm /Scan Do".utf8)),
                object(
                    """
                    /Type /Page /Parent 2 0 R /MediaBox [0 0 \(width) \(height)] \
                    /Resources << /XObject << /Scan \(picture) 0 R >> >> /Contents \(picture + 1) 0 R
                    """),
            ]
        }
        var file = Array("%PDF-1.4\n".utf8)
        var table = "xref\n0 \(objects.count + 1)\n0000000000 65535 f \n"
        for (number, object) in objects.enumerated() {
            table += String(repeating: "0", count: 10 - String(file.count).count) + "\(file.count) 00000 n \n"
            file += Array("\(number + 1) 0 obj\n".utf8) + object + Array("endobj\n".utf8)
        }
        table += "trailer\n<< /Size \(objects.count + 1) /Root 1 0 R >>\nstartxref\n\(file.count)\n%%EOF\n"
        return file + Array(table.utf8)
    }

    private static func object(_ entries: String, stream: [UInt8]? = nil) -> [UInt8] {
        guard let stream else { return Array("<< \(entries) >>\n".utf8) }
        return Array("<< \(entries) /Length \(stream.count) >>\nstream\n".utf8) + stream + Array("\nendstream\n".utf8)
    }
}

/// A page as a scanner or phone sees it: skewed, unevenly lit, on paper that is not white, with noise; always the same for the
/// same seed.
struct PhotographedPage {
    let width: Int
    let height: Int
    /// Its size in points.
    let points: PageGeometry
    private let paper: Raster
    private let seed: UInt64

    // As in a photograph of good quality: the levels of white and black, the angle by which the page is turned, and the levels by
    // which noise changes it.
    private static let white = 228.0
    private static let black = 34.0
    private static let skew = 0.6 * Double.pi / 180
    private static let noise = 3.5
    /// The structure of the paper: how wide its spots are at 300 dpi, and how strong.
    private static let grain = (side: 8.0, strength: 2.5)
    /// How much red, green and blue there is in lamplight on yellowed paper.
    private static let lamplight = [1.02, 0.97, 0.87]

    /// Draws page `index` (from 0) of a chart with `dpi` pixels per inch.
    init(_ chart: ChartDocument, page index: Int, dpi: Int, seed: UInt64) throws {
        points = try chart.geometry(of: index)
        paper = Raster()
        let longSide = (max(points.width, points.height) * Double(dpi) / 72).rounded()
        _ = try chart.draw(page: index, longSide: Int(longSide), into: paper)
        (width, height) = (paper.width, paper.height)
        self.seed = seed
    }

    /// Gray levels, or red, green and blue, row by row.
    func pixels(isGray: Bool) -> [UInt8] {
        let (width, height, tints) = (width, height, isGray ? [1] : Self.lamplight)
        // The shadow in the fold, and the light from above.
        let across = (0..<width).map { 1 - 0.25 * exp(-pow(Double($0) / (Double(width) * 0.12), 2)) }
        let down = (0..<height).map { 1 - 0.12 * pow(Double($0) / Double(height), 2) }
        let side = Self.grain.side * Double(max(width, height)) / 3508
        let spotsAcross = Int(Double(width) / side) + 2
        var generator = SampleGenerator(seed: seed)
        let spots = (0..<spotsAcross * (Int(Double(height) / side) + 2)).map { _ in Self.bell(&generator) * Self.grain.strength }
        let (sine, cosine) = (sin(Self.skew), cos(Self.skew))
        var pixels: [UInt8] = []
        pixels.reserveCapacity(width * height * tints.count)
        for y in 0..<height {
            let (fromMiddle, spotsDown) = (Double(y - height / 2), Double(y) / side)
            for x in 0..<width {
                let aside = Double(x - width / 2)
                let ink =
                    1
                    - whiteness(
                        aside * cosine + fromMiddle * sine + Double(width / 2), fromMiddle * cosine - aside * sine + Double(height / 2))
                let spot = spots[Int(spotsDown) * spotsAcross + Int(Double(x) / side)]
                let light = (Self.white - (Self.white - Self.black) * ink + spot) * across[x] * down[y]
                for tint in tints { pixels.append(UInt8(max(0, min(255, light * tint + Self.bell(&generator) * Self.noise)))) }
            }
        }
        return pixels
    }

    /// How white the page is at a place between pixels; beyond its edges there is more paper.
    private func whiteness(_ x: Double, _ y: Double) -> Double {
        let (left, top) = (Int(x.rounded(.down)), Int(y.rounded(.down)))
        guard left >= 0, top >= 0, left + 1 < width, top + 1 < height else { return 1 }
        let (right, below) = (x - Double(left), y - Double(top))
        func pixel(_ x: Int, _ y: Int) -> Double { Double(paper[x, y] & 255) }
        let upper = pixel(left, top) * (1 - right) + pixel(left + 1, top) * right
        let lower = pixel(left, top + 1) * (1 - right) + pixel(left + 1, top + 1) * right
        return (upper * (1 - below) + lower * below) / 255
    }

    /// Close enough to a normal distribution with a deviation of 1: the sum of eight random bytes.
    private static func bell(_ generator: inout SampleGenerator) -> Double {
        let bytes = generator.next()
        // The sum of the bytes: two halves of four bytes each, added at once.
        let pairs = (bytes & 0x00ff_00ff_00ff_00ff) &+ ((bytes >> 8) & 0x00ff_00ff_00ff_00ff)
        let sum = (pairs &* 0x0001_0001_0001_0001) >> 48
        return (Double(sum) - 1020) / 209
    }
}

/// Writes pixels as a JPEG, as scanners and phones do.
enum JPEGEncoder {
    /// `pixels` are row by row from the top, each one byte of gray or three of red, green and blue.
    static func image(_ pixels: [UInt8], width: Int, height: Int, isGray: Bool, quality: Int = 85) -> [UInt8] {
        let rowBytes = width * (isGray ? 1 : 3)
        precondition(pixels.count == rowBytes * height && width > 0 && height > 0, "as many pixels as are announced")
        // libjpeg keeps pointers to all of these; if something is wrong, it prints a message and ends the process.
        let image = UnsafeMutablePointer<jpeg_compress_struct>.allocate(capacity: 1)
        let errors = UnsafeMutablePointer<jpeg_error_mgr>.allocate(capacity: 1)
        let made = UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>.allocate(capacity: 1)
        let count = UnsafeMutablePointer<UInt>.allocate(capacity: 1)
        image.initialize(to: jpeg_compress_struct())
        made.initialize(to: nil)
        count.initialize(to: 0)
        image.pointee.err = jpeg_std_error(errors)
        jpeg_CreateCompress(image, JPEG_LIB_VERSION, MemoryLayout<jpeg_compress_struct>.size)
        defer {
            jpeg_destroy_compress(image)
            free(made.pointee)
            for memory: UnsafeMutableRawPointer in [.init(image), .init(errors), .init(made), .init(count)] { memory.deallocate() }
        }
        jpeg_mem_dest(image, made, count)
        image.pointee.image_width = JDIMENSION(width)
        image.pointee.image_height = JDIMENSION(height)
        image.pointee.input_components = isGray ? 1 : 3
        image.pointee.in_color_space = isGray ? JCS_GRAYSCALE : JCS_RGB
        jpeg_set_defaults(image)
        jpeg_set_quality(image, Int32(quality), boolean(1))
        jpeg_start_compress(image, boolean(1))
        var pixels = pixels
        pixels.withUnsafeMutableBufferPointer { pixels in
            for y in 0..<height {
                var row: JSAMPROW? = pixels.baseAddress! + y * rowBytes
                jpeg_write_scanlines(image, &row, 1)
            }
        }
        jpeg_finish_compress(image)
        return Array(UnsafeBufferPointer(start: made.pointee, count: Int(count.pointee)))
    }
}
