import CorpusScan
import DemoScores
import Glibc
package import Model
import PageRaster
package import Platform

/// A PDF for measurements.
package struct CorpusChart: Hashable, Sendable {
    /// The file's name without its extension.
    package let name: String
    package let path: String
    package let hash: ChartHash
    package let images: [EmbeddedImage]
    /// Whether this is one of the photographs of pages made for measuring.
    package let isPhotograph: Bool

    init(path: String, isPhotograph: Bool = false) throws(SystemError) {
        let bytes = try AtomicFile.read(path, limit: 1 << 30)
        self.path = path
        self.isPhotograph = isPhotograph
        name = String(path.split(separator: "/").last?.dropLast(4) ?? "")
        hash = ChartHash(SHA256.digest(of: bytes))
        images = EmbeddedImage.all(in: bytes)
    }

    /// The demo service's scores, written to `folder`.
    package static func demo(in folder: String) throws(SystemError) -> [CorpusChart] {
        var charts: [CorpusChart] = []
        for score in UnsafeBufferPointer(start: woodshed_demo_scores(), count: demo_scores_count)
        where String(cString: score.kind) == "chart" {
            let path = folder + "/" + String(cString: score.name) + ".pdf"
            try AtomicFile.write(UnsafeRawBufferPointer(start: score.bytes, count: score.length), to: path, durability: .none)
            charts.append(try CorpusChart(path: path))
        }
        return charts
    }

    /// Every PDF in a folder and its subfolders, sorted by path.
    package static func all(below folder: String) throws(SystemError) -> [CorpusChart] {
        var charts: [CorpusChart] = []
        for name in try Folder.names(in: folder) {
            let path = folder + "/" + name
            var status = stat()
            guard lstat(path, &status) == 0 else { continue }
            if status.st_mode & S_IFMT == S_IFDIR {
                charts += try all(below: path)
            } else if status.st_mode & S_IFMT == S_IFREG, name.lowercased().hasSuffix(".pdf") {
                charts.append(try CorpusChart(path: path))
            }
        }
        return charts
    }
}

/// The kind of a page, which has the largest influence on the cost of rendering.
package enum PageClass: String, Hashable, Sendable, CaseIterable {
    /// Fonts and lines only, all in gray.
    case engraved
    /// A photograph of a page, in gray.
    case grayScan = "8-bit scan"
    /// A photograph of a page, in colour.
    case colourScan = "colour scan"
    /// A photograph of a page, in black and white.
    case bilevelScan = "bilevel scan"
    /// Everything else: pages with colour, and charts that combine pictures with notes.
    case other

    package init(images: [EmbeddedImage], pageCount: Int, isGray: Bool) {
        let pageSized = images.filter(\.isPageSized)
        if images.isEmpty {
            self = isGray ? .engraved : .other
        } else if pageSized.count < pageCount {
            self = .other
        } else if !isGray {
            self = images.contains(where: \.isBilevel) ? .other : .colourScan
        } else if images.allSatisfy(\.isBilevel) {
            self = .bilevelScan
        } else {
            self = pageSized.contains(where: \.isBilevel) ? .other : .grayScan
        }
    }
}

/// An image in a PDF, as described by the PDF's bytes.
///
/// An image is a stream, and the dictionary of a stream is never compressed, so images can be found without parsing the PDF.
package struct EmbeddedImage: Hashable, Sendable {
    let width: Int
    let height: Int
    /// Whether the image has one bit per pixel.
    let isBilevel: Bool

    /// Whether the image has enough pixels for a whole page: half the number of A4 at 100 dpi. A logo has fewer.
    var isPageSized: Bool { width * height >= 480_000 }
}

extension EmbeddedImage {
    private init?(_ dictionary: Substring) {
        func number(_ key: Regex<(Substring, Substring)>) -> Int { dictionary.firstMatch(of: key).flatMap { Int($0.1) } ?? 0 }
        (width, height) = (number(/\/Width\s+(\d{1,6})\b/), number(/\/Height\s+(\d{1,6})\b/))
        guard dictionary.contains(/\/Subtype\s*\/Image\b/), width > 0, height > 0 else { return nil }
        isBilevel = dictionary.contains(/\/BitsPerComponent\s+1\b|\/ImageMask\s+true\b|\/CCITTFaxDecode\b|\/JBIG2Decode\b/)
    }

    package static func all(in pdf: [UInt8]) -> [EmbeddedImage] {
        // How many bytes before a stream are searched for its dictionary. No image's dictionary is longer.
        let longest = 4096
        var images: [EmbeddedImage] = []
        var start = 0
        while let end = place(of: "stream", in: pdf[start...]) {
            let before = pdf[max(start, end - longest)..<end]
            // Decode the text only for images: most streams are not images, and most of the bytes before a stream are another
            // stream's data.
            if place(of: "/Image", in: before) != nil {
                let dictionary = String(decoding: before, as: UTF8.self).split(separator: "obj").last ?? ""
                if let image = EmbeddedImage(dictionary) { images.append(image) }
            }
            start = end + 6
        }
        return images
    }

    /// The index of a word's first occurrence; nil if there is none. The standard library's search takes a hundred times as long.
    private static func place(of word: String, in bytes: ArraySlice<UInt8>) -> Int? {
        let word = Array(word.utf8)
        var rest = bytes
        while let place = rest.firstIndex(of: word[0]) {
            rest = rest[place...]
            if rest.starts(with: word) { return place }
            rest.removeFirst()
        }
        return nil
    }
}

extension CorpusChart {
    private static let photographed = "piano-album"
    private static let pages = [0, 4]

    /// Photographs of two of the demo's pages, written to `folder`: gray and colour at 300 dpi as JPEG, and black and white at 600
    /// dpi as fax data.
    package static func photographs(of demo: [CorpusChart], in folder: String) throws -> [CorpusChart] {
        guard let chart = demo.first(where: { $0.name == photographed }) else { return [] }
        let file = try Descriptor.open(chart.path, O_RDONLY)
        let document = try ChartDocument(descriptor: file.number)
        let photographs = try pages.enumerated().map { seed, page in try PhotographedPage(document, page: page, seed: UInt64(seed)) }
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

    private static func pdf(_ photographs: [PhotographedPage], isGray: Bool) -> [UInt8] {
        // The catalogue and the list of pages are objects 1 and 2. Each page adds three objects, the last of which is the page itself.
        let kids = photographs.indices.map { "\(3 * $0 + 5) 0 R" }.joined(separator: " ")
        var objects = [object("/Type /Catalog /Pages 2 0 R"), object("/Type /Pages /Kids [\(kids)] /Count \(photographs.count)")]
        for page in photographs {
            let (across, down, width, height) = (page.paper.width, page.paper.height, page.points.width, page.points.height)
            let jpeg = JPEGEncoder.image(page.pixels(isGray: isGray), width: across, height: down, isGray: isGray)
            let picture = objects.count + 1
            objects += [
                object(
                    """
                    /Type /XObject /Subtype /Image /Width \(across) /Height \(down) /BitsPerComponent 8 \
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

/// A page as a scanner or phone captures it: skewed, unevenly lit, noisy, and on paper that is not white. The same seed always gives
/// the same result.
struct PhotographedPage {
    /// The page's size in points.
    let points: PageGeometry
    let paper = Raster()
    private let seed: UInt64

    // The values of a good photograph: the gray levels of white and black, the angle of rotation, and the noise in gray levels.
    private static let white = 228.0
    private static let black = 34.0
    private static let skew = 0.6 * Double.pi / 180
    private static let noise = 3.5
    /// The texture of the paper: the width of its spots on A4 at 300 dpi, and their strength.
    private static let grain = (side: 8.0, strength: 2.5)
    /// The red, green and blue components of lamplight on yellowed paper.
    private static let lamplight = [1.02, 0.97, 0.87]

    /// Draws page `index` (from 0) of a chart at 300 dpi.
    init(_ chart: ChartDocument, page index: Int, seed: UInt64) throws {
        points = try chart.geometry(of: index)
        _ = try chart.draw(page: index, longSide: Int((max(points.width, points.height) * 300 / 72).rounded()), into: paper)
        self.seed = seed
    }

    /// The pixels of the photograph, row by row: a gray level for each, or red, green and blue.
    func pixels(isGray: Bool) -> [UInt8] {
        let (width, height, tints) = (paper.width, paper.height, isGray ? [1] : Self.lamplight)
        // The brightness across the page, with a shadow in the fold, and down the page, with light from above.
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
            let (below, spotsDown) = (Double(y - height / 2), Double(y) / side)
            for x in 0..<width {
                let aside = Double(x - width / 2)
                let (left, top) = (aside * cosine + below * sine + Double(width / 2), below * cosine - aside * sine + Double(height / 2))
                let spot = spots[Int(spotsDown) * spotsAcross + Int(Double(x) / side)]
                let light = (Self.white - (Self.white - Self.black) * (1 - whiteness(left, top)) + spot) * across[x] * down[y]
                for tint in tints { pixels.append(UInt8(max(0, min(255, light * tint + Self.bell(&generator) * Self.noise)))) }
            }
        }
        return pixels
    }

    /// The whiteness at a position between pixels. Positions beyond the page's edges are blank paper.
    private func whiteness(_ x: Double, _ y: Double) -> Double {
        let (left, top) = (Int(x.rounded(.down)), Int(y.rounded(.down)))
        guard left >= 0, top >= 0, left + 1 < paper.width, top + 1 < paper.height else { return 1 }
        let (right, below) = (x - Double(left), y - Double(top))
        func pixel(_ x: Int, _ y: Int) -> Double { Double(paper[x, y] & 255) }
        let upper = pixel(left, top) * (1 - right) + pixel(left + 1, top) * right
        let lower = pixel(left, top + 1) * (1 - right) + pixel(left + 1, top + 1) * right
        return (upper * (1 - below) + lower * below) / 255
    }

    /// The sum of eight random bytes, scaled to approximate a normal distribution with a standard deviation of 1.
    private static func bell(_ generator: inout SampleGenerator) -> Double {
        let bytes = generator.next()
        // Add the bytes in pairs, which gives four numbers of 16 bits. The multiplication then adds up these four in the top 16 bits.
        let pairs = (bytes & 0x00ff_00ff_00ff_00ff) &+ ((bytes >> 8) & 0x00ff_00ff_00ff_00ff)
        let sum = (pairs &* 0x0001_0001_0001_0001) >> 48
        return (Double(sum) - 1020) / 209
    }
}

/// Encodes pixels as a JPEG, as scanners and phones do.
enum JPEGEncoder {
    /// `pixels` are in rows from the top, with one byte of gray, or three of red, green and blue, per pixel. Empty if the encoder fails.
    static func image(_ pixels: [UInt8], width: Int, height: Int, isGray: Bool, quality: Int = 85) -> [UInt8] {
        precondition(pixels.count == width * (isGray ? 1 : 3) * height && width > 0 && height > 0, "as many pixels as are announced")
        var count = 0
        guard let image = corpus_jpeg(pixels, Int32(width), Int32(height), isGray, Int32(quality), &count) else { return [] }
        defer { free(image) }
        return Array(UnsafeBufferPointer(start: image, count: count))
    }
}
