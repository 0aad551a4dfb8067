import FoundationEssentials
import Glibc
import Model
import PageRaster
import Rendering

/// Does the jobs: the open chart, the rasters and the encoder are kept from one to the next.
final class Workshop {
    private var open: (identity: FileIdentity, chart: ChartDocument)?
    private let plain = Raster()
    private let annotated = Raster()
    private let thumbnail = Raster()
    private let encoder = PNGEncoder()

    /// The marks of a page, as JSON, may not be larger.
    private static let mostMarkBytes = 64 << 20

    /// Descriptors: the PDF, the file that takes the description.
    func describe(_ files: [Int32]) throws(RenderFailure) -> [String] {
        guard files.count == 2 else { throw .malformedReply("a description takes 2 files, not \(files.count)") }
        let chart = try chart(files[0])
        guard chart.pageCount <= ChartDescription.mostPages else { throw .tooManyPages(chart.pageCount) }
        let description = try translated { () throws(RasterFailure) in try ChartDescription(of: chart, descriptor: files[0]) }
        guard let json = try? JSONEncoder().encode(description) else { throw .drawing("the description cannot be written") }
        try write(Array(json), to: files[1])
        return []
    }

    /// Descriptors: the PDF, a file for each output in order, the marks if there are some.
    func render(_ order: RenderOrder, _ files: [Int32]) throws(RenderFailure) -> [String] {
        let expected = 1 + order.outputs.count + (order.hasMarks ? 1 : 0)
        guard files.count == expected else { throw .malformedReply("this page takes \(expected) files, not \(files.count)") }
        if let tag = order.tag, tag != .raster { throw .rendererChanged(.raster) }
        let marks = order.hasMarks ? try self.marks(files[expected - 1]) : []
        let chart = try chart(files[0])
        return try draw(order, of: chart, marks: marks, to: Array(files[1...]))
    }

    private func draw(
        _ order: RenderOrder, of chart: ChartDocument, marks: [Mark], to files: [Int32]
    ) throws(RenderFailure) -> [String] {
        var warnings: [String] = []
        if order.outputs.contains(where: { $0.variant != .thumbnail }) || order.thumbnailSize <= order.fullSize {
            warnings += try translated { () throws(RasterFailure) in
                try chart.draw(page: order.page, longSide: order.fullSize, paper: order.paper, into: plain)
            }
        }
        for (output, file) in zip(order.outputs, files) {
            guard let digest = Digest(hex: output.key) else { throw .malformedReply("\(output.key) is no key") }
            let png = try translated { () throws(RasterFailure) in
                let raster: Raster
                switch output.variant {
                case .plain: raster = plain
                case .annotated:
                    // On a copy: the plain page may still be wanted, and is what the thumbnail is made of.
                    try annotated.copy(plain)
                    warnings += try annotated.paint(marks)
                    raster = annotated
                case .thumbnail:
                    warnings += try makeThumbnail(order, of: chart)
                    raster = thumbnail
                }
                return try encoder.encode(raster, key: ImageKey(digest))
            }
            try write(png, to: file)
        }
        return warnings
    }

    /// From the full page, so that it is drawn once; only one that is to be larger than that is drawn for itself.
    private func makeThumbnail(_ order: RenderOrder, of chart: ChartDocument) throws(RasterFailure) -> [String] {
        guard order.thumbnailSize <= order.fullSize else {
            return try chart.draw(page: order.page, longSide: order.thumbnailSize, paper: order.paper, into: thumbnail)
        }
        let (width, height) = try chart.geometry(of: order.page).pixels(longSide: order.thumbnailSize)
        try thumbnail.shrink(plain, width: width, height: height)
        return []
    }

    // MARK: - Files

    /// The chart behind a descriptor: the one that is open already, if it is the same file unchanged.
    private func chart(_ descriptor: Int32) throws(RenderFailure) -> ChartDocument {
        guard let identity = FileIdentity(descriptor) else { throw .cannotOpen("the PDF is no file") }
        if let open, open.identity == identity { return open.chart }
        // The former one goes first: two large ones at once may be more memory than we are given.
        open = nil
        let chart = try translated { () throws(RasterFailure) in try ChartDocument(descriptor: descriptor) }
        open = (identity, chart)
        return chart
    }

    private func marks(_ descriptor: Int32) throws(RenderFailure) -> [Mark] {
        guard let json = try? MemoryFile.read(descriptor, limit: Self.mostMarkBytes),
            let marks = try? JSONDecoder().decode([Mark].self, from: Data(json))
        else { throw .drawing("its marks cannot be read, or are more than \(ByteCount(Self.mostMarkBytes))") }
        return marks
    }

    private func write(_ bytes: [UInt8], to descriptor: Int32) throws(RenderFailure) {
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
        // What stood there before may have been longer.
        ftruncate(descriptor, off_t(bytes.count))
    }
}

/// Tells whether a descriptor's file is the one that we know, unchanged.
private struct FileIdentity: Equatable {
    private let numbers: [Int]

    init?(_ descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        numbers = [Int(status.st_dev), Int(status.st_ino), Int(status.st_size), status.st_mtim.tv_sec, status.st_mtim.tv_nsec]
    }
}
