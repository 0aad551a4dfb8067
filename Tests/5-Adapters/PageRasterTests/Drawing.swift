import Glibc
import Model
import PagePNG
import TestSupport
import Testing

@testable import PageRaster

/// Drawing helpers of the tests.
enum Drawing {
    static func document(_ pdf: TestPDF) throws -> ChartDocument {
        try document(pdf.bytes)
    }

    static func document(_ bytes: [UInt8]) throws -> ChartDocument {
        let folder = TemporaryFolder()
        let file = open(folder.path("chart.pdf"), O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        defer { close(file) }
        #expect(write(file, bytes, bytes.count) == bytes.count)
        return try ChartDocument(descriptor: file)
    }

    /// A page of one colour, white by default, with its size in pixels.
    static func blank(_ width: Int, _ height: Int, _ color: UInt32 = 0xffffff) throws -> Raster {
        let raster = Raster()
        try raster.prepare(width: width, height: height)
        for y in 0..<height { for x in 0..<width { raster[x, y] = color } }
        return raster
    }

    static let key = ImageKey(SHA256.digest(of: "a key"))
}

extension Raster {
    /// Copies another raster's size and picture.
    func copy(_ other: Raster) throws {
        try prepare(width: other.width, height: other.height)
        row(0).update(from: other.row(0), count: width * height)
    }

    /// Shrinks a raster into this one in the way that thumbnails are made.
    func shrink(_ source: Raster, width: Int, height: Int) throws {
        let (rows, small) = (PackedRows(), PackedRows())
        rows.pack(source.row(0), width: source.width, height: source.height)
        small.shrink(rows, width: width, height: height)
        try prepare(width: width, height: height)
        for band in 0..<(small.layout?.bandCount ?? 0) { small.unpack(band: band, to: row(0)) }
    }
}
