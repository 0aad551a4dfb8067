import Glibc
import Model
import PageRaster
import TestSupport
import Testing

/// What the tests draw with.
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

    /// A white page of a size in pixels.
    static func blank(_ width: Int, _ height: Int, _ color: UInt32 = 0xffffff) throws -> Raster {
        let raster = Raster()
        try raster.prepare(width: width, height: height)
        for y in 0..<height { for x in 0..<width { raster[x, y] = color } }
        return raster
    }

    static let key = ImageKey(SHA256.digest(of: "a key"))
}
