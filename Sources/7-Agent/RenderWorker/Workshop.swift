import Glibc
import JSON
import Model
import PagePNG
import PageRaster
import Platform
import Rendering

/// Does the jobs: the open chart, the rasters and the encoder are kept from one job to the next.
final class Workshop {
    private var open: (stamp: FileStamp, chart: ChartDocument)?
    let raster = Raster()
    private let encoder = PNGEncoder()
    private let composer = PageComposer()

    /// A page's marks may not be larger.
    private static let mostMarkBytes = 64 << 20
    private static let mostImageBytes = 256 << 20

    /// Describes a chart. `files` are the PDF and the file for the description.
    func describe(_ files: [Int32]) throws(RenderFailure) -> [String] {
        guard files.count == 2 else { throw .malformedReply("a description takes 2 files, not \(files.count)") }
        // Open the chart again, since poppler reports faults on opening.
        open = nil
        let chart = try chart(files[0])
        guard chart.pageCount <= ChartDescription.mostPages else { throw .tooManyPages(chart.pageCount) }
        let description = try translated { () throws(RasterFailure) in try ChartDescription(of: chart, descriptor: files[0]) }
        guard let json = try? JSONWriter.encode(description) else { throw .drawing("the description is not writable") }
        try write(json, to: files[1])
        return []
    }

    /// Makes images of a page. `files` are the PDF, a file for each output in order, and the marks if there are any.
    func render(_ order: RenderOrder, _ files: [Int32]) throws(RenderFailure) -> [String] {
        let expected = 1 + order.outputs.count + (order.hasMarks ? 1 : 0)
        guard files.count == expected else { throw .malformedReply("this page takes \(expected) files, not \(files.count)") }
        try check(order.tag, order.fonts)
        let marks = order.hasMarks ? try self.marks(files[expected - 1]) : []
        // Faults of the chart should not be reported for the page that happens to be drawn first.
        let chart = try PopplerMessages.keep { Result { () throws(RenderFailure) in try self.chart(files[0]) } }.get()
        return try draw(order, of: chart, marks: marks, to: Array(files[1...]))
    }

    /// Makes an annotated image from the plain one. `files` are the plain image, the output and the marks, then the predecessor and
    /// its marks, if there is one.
    func compose(_ order: ComposeOrder, _ files: [Int32]) throws(RenderFailure) -> [String] {
        let expected = order.hasPrevious ? 5 : 3
        guard files.count == expected else { throw .malformedReply("this image takes \(expected) files, not \(files.count)") }
        try check(order.tag, order.fonts)
        let marks = try marks(files[2])
        // Without a readable predecessor, the image takes longer, but is the same.
        let formerImage = try order.previousKey.flatMap { key throws(RenderFailure) in try? image(files[3], key: key) }
        let former = try formerImage.map { image throws(RenderFailure) in (image, try self.marks(files[4])) }
        return try compose(order.key, of: try image(files[0], key: order.plainKey), former: former, marks, order.paper, to: files[1])
    }

    /// Makes sure that nothing is drawn under a key made with another renderer's tag or other fonts.
    private func check(_ tag: RendererTag?, _ fonts: FontSet?) throws(RenderFailure) {
        if let tag, tag != .raster { throw .rendererChanged(.raster) }
        if let fonts, fonts != RendererIdentity.thisProcess.fonts { throw .fontsChanged }
    }

    /// Draws the page once, and makes all its images from that, except a thumbnail that is larger than the page image.
    private func draw(
        _ order: RenderOrder, of chart: ChartDocument, marks: [Mark], to files: [Int32]
    ) throws(RenderFailure) -> [String] {
        var warnings: [String] = []
        let outputs = Dictionary(uniqueKeysWithValues: zip(order.outputs.map(\.variant), zip(order.outputs, files)))
        let isFullSizeWanted = outputs[.plain] != nil || outputs[.annotated] != nil
        if let (output, file) = outputs[.thumbnail], order.thumbnailSize > order.fullSize {
            // Only a thumbnail that is larger than the page image is drawn separately.
            warnings += try draw(order, of: chart, longSide: order.thumbnailSize)
            try write(encoder.encode(key: try key(output.key)), to: file)
            guard isFullSizeWanted else { return warnings }
        }
        warnings += try draw(order, of: chart, longSide: order.fullSize)
        if let (output, file) = outputs[.thumbnail], order.thumbnailSize <= order.fullSize {
            let geometry = try translated { () throws(RasterFailure) in try chart.geometry(of: order.page) }
            let (width, height) = geometry.pixels(longSide: order.thumbnailSize)
            encoder.shrink(width: width, height: height)
            try write(encoder.encodeShrunk(key: try key(output.key)), to: file)
        }
        guard isFullSizeWanted else { return warnings }
        let plain = encoder.encode(key: try key(outputs[.plain]?.0.key ?? outputs[.annotated]!.0.key), music: raster.music())
        if let (_, file) = outputs[.plain] { try write(plain, to: file) }
        if let (output, file) = outputs[.annotated] {
            warnings += try compose(output.key, of: plain, former: nil, marks, order.paper, to: file)
        }
        return warnings
    }

    private func draw(_ order: RenderOrder, of chart: ChartDocument, longSide: Int) throws(RenderFailure) -> [String] {
        let warnings = try translated { () throws(RasterFailure) in
            try chart.draw(page: order.page, longSide: longSide, paper: order.paper, into: raster)
        }
        encoder.pack(raster, paper: order.paper)
        return warnings
    }

    private func compose(
        _ key: String, of plain: [UInt8], former: (image: [UInt8], marks: [Mark])?, _ marks: [Mark], _ paper: Color, to file: Int32
    ) throws(RenderFailure) -> [String] {
        let key = try self.key(key)
        let (png, warnings) = try translated { () throws(RasterFailure) in
            try Self.compose(plain, former, marks, paper, key, composer, raster)
        }
        try write(png, to: file)
        return warnings
    }

    private static func compose(
        _ plain: [UInt8], _ former: (image: [UInt8], marks: [Mark])?, _ marks: [Mark], _ paper: Color, _ key: ImageKey,
        _ composer: PageComposer, _ raster: Raster
    ) throws(RasterFailure) -> (png: [UInt8], warnings: [String]) {
        let result: Result<(png: [UInt8], warnings: [String]), RasterFailure> = plain.withUnsafeBytes { plain in
            (former?.image ?? []).withUnsafeBytes { image in
                Result { () throws(RasterFailure) in
                    guard let plain = BandedPNG(plain) else { throw .damaged }
                    let previous = former.flatMap { former in
                        BandedPNG(image).map { PageComposer.Predecessor(image: $0, marks: former.marks) }
                    }
                    return try composer.compose(plain, previous: previous, marks: marks, paper: paper, key: key, on: raster)
                }
            }
        }
        return try result.get()
    }

    private func key(_ hex: String) throws(RenderFailure) -> ImageKey {
        guard let digest = Digest(hex: hex) else { throw .malformedReply("\(hex) is not a key") }
        return ImageKey(digest)
    }

    // MARK: - Files

    /// The chart behind a descriptor: the one that is already open, if it is the same file, unchanged.
    func chart(_ descriptor: Int32) throws(RenderFailure) -> ChartDocument {
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw .cannotOpen("the PDF is not a regular file")
        }
        // Compare only the content's stamp: the agent may give the file another name or other rights between two jobs.
        let stamp = FileStamp(status).ofContent
        if let open, open.stamp == stamp { return open.chart }
        // The former chart is closed first: two large ones at once may take more memory than is allowed.
        open = nil
        let chart = try translated { () throws(RasterFailure) in try ChartDocument(descriptor: descriptor) }
        open = (stamp, chart)
        return chart
    }

    func marks(_ descriptor: Int32) throws(RenderFailure) -> [Mark] {
        let bytes: [UInt8]
        do {
            bytes = try MemoryFile.read(descriptor, limit: Self.mostMarkBytes)
        } catch {
            guard error.code == EFBIG else { throw .cannotOpen(error.description) }
            throw .drawing("its marks take up more than \(ByteCount(Self.mostMarkBytes))")
        }
        guard let marks = MarkCoding.decode(bytes) else {
            throw .drawing("its marks cannot be read")
        }
        return marks
    }

    /// An image's bytes; throws unless the image was made under this key. They are read, not mapped: if the file were cut off
    /// meanwhile, a mapping would crash this process.
    private func image(_ descriptor: Int32, key: String) throws(RenderFailure) -> [UInt8] {
        guard let bytes = try? MemoryFile.read(descriptor, limit: Self.mostImageBytes),
            bytes.withUnsafeBytes({ BandedPNG($0)?.key.digest.hex.hasPrefix(key) == true })
        else { throw .damagedImage }
        return bytes
    }

    func write(_ bytes: [UInt8], to descriptor: Int32) throws(RenderFailure) {
        lseek(descriptor, 0, SEEK_SET)
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0 {
                if errno == EINTR { continue }
                throw .cannotWrite(errno)
            }
            rest = rest.dropFirst(count)
        }
        // The former content may have been longer.
        ftruncate(descriptor, off_t(bytes.count))
    }
}

/// Runs drawing code, and translates its failures into those of jobs.
func translated<Result>(_ body: () throws(RasterFailure) -> Result) throws(RenderFailure) -> Result {
    do {
        return try body()
    } catch {
        switch error {
        case .encrypted: throw .encrypted
        case .unreadable(let reason): throw .unreadable(reason)
        case .noPages: throw .noPages
        case .noSuchPage(let page): throw .noSuchPage(PageIndex(page))
        case .tooLarge(let width, let height): throw .tooLarge(width: width, height: height)
        case .damaged: throw .damagedImage
        case .drawing(let reason): throw .drawing(reason)
        }
    }
}

extension RendererIdentity {
    /// The renderer in this process. Fonts are determined once, since fontconfig also keeps its first result.
    static let thisProcess = RendererIdentity(tag: .raster, fonts: .machine())
}

extension ChartDescription {
    /// With more pages, looking for fonts would take longer than a musician wants to wait for page one: 10,000 pages take seconds.
    private static let mostPagesSearched = 1000

    /// How many unreadable pages are listed by number.
    private static let mostNamed = 20

    /// Measures an open chart; the descriptor is the file that it was opened from. An unreadable page is assumed to be as large as
    /// the page before it, or else as the first readable page. Throws if no page is readable.
    init(of chart: ChartDocument, descriptor: Int32) throws(RasterFailure) {
        self.init(pages: [])
        let measured = (0..<chart.pageCount).map { page in Result { () throws(RasterFailure) in try chart.geometry(of: page) } }
        guard let first = measured.lazy.compactMap({ try? $0.get() }).first else {
            for page in measured { _ = try page.get() }
            throw .noPages
        }
        for page in measured { pages.append((try? page.get()) ?? pages.last ?? first) }
        warnings = Self.warnings(unread: measured.indices.filter { (try? measured[$0].get()) == nil }, of: chart)
        statedPages = chart.otherCount
        fontsNotEmbedded = nil
        if chart.pageCount <= Self.mostPagesSearched {
            let names = Set(chart.fontsNotEmbedded().map { String($0.prefix(Self.longestFontName)) })
            fontsNotEmbedded = Array(names.sorted().prefix(Self.mostFonts))
        }
        hasImages = ChartDocument.mayHoldImages(descriptor: descriptor)
        let places = chart.places()
        self.places = places.isEmpty ? nil : places
    }

    private static func warnings(unread: [Int], of chart: ChartDocument) -> [String] {
        var warnings: [String] = []
        if !unread.isEmpty {
            let pages = unread.count > mostNamed ? "\(unread.count) pages" : PageIndex.words(unread.map { PageIndex($0) })
            warnings.append("\(pages) cannot be read; the others are shown")
        }
        if let count = chart.otherCount { warnings.append(PageDamage.pagesMissing(stated: count, found: chart.pageCount)) }
        return warnings
    }
}
