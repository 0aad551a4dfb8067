import CPoppler
import Model
import TestSupport
import Testing

@testable import PageRaster

/// The same page, drawn by ChartDocument and by cairo.
struct ScanDrawing {
    let drawn = Raster()
    let byCairo = Raster()

    init(_ page: ScanPage, longSide: Int) throws {
        try self.init(page.pdf.bytes, longSide: longSide)
    }

    init(_ bytes: [UInt8], page: Int = 0, longSide: Int) throws {
        #expect(try Drawing.document(bytes).draw(page: page, longSide: longSide, into: drawn) == [])
        let data = try #require(g_bytes_new(bytes, gsize(bytes.count)))
        defer { g_bytes_unref(data) }
        let document = try #require(poppler_document_new_from_bytes(data, nil, nil))
        defer { g_object_unref(UnsafeMutableRawPointer(document)) }
        let shown = try #require(poppler_document_get_page(document, Int32(page)))
        defer { g_object_unref(UnsafeMutableRawPointer(shown)) }
        var (width, height) = (0.0, 0.0)
        poppler_page_get_size(shown, &width, &height)
        try byCairo.prepare(width: drawn.width, height: drawn.height)
        let size = (width: Double(drawn.width), height: Double(drawn.height))
        _ = try byCairo.paint { context in
            cairo_set_source_rgb(context, 1, 1, 1)
            cairo_paint(context)
            cairo_scale(context, size.width / width, size.height / height)
            poppler_page_render(shown, context)
        }
    }

    /// The mean difference of the two pictures, over all pixels and channels.
    var difference: Double {
        var sum = 0
        for y in 0..<drawn.height {
            let (one, other) = (drawn.row(y), byCairo.row(y))
            for x in 0..<drawn.width where (one[x] ^ other[x]) & 0xff_ffff != 0 {
                for shift in [0, 8, 16] as [UInt32] { sum += abs(Int(one[x] >> shift & 255) - Int(other[x] >> shift & 255)) }
            }
        }
        return Double(sum) / Double(3 * drawn.width * drawn.height)
    }

    /// The greatest difference of the two pictures in any pixel and channel.
    var greatest: Int {
        var most = 0
        for y in 0..<drawn.height {
            let (one, other) = (drawn.row(y), byCairo.row(y))
            for x in 0..<drawn.width where (one[x] ^ other[x]) & 0xff_ffff != 0 {
                for shift in [0, 8, 16] as [UInt32] { most = max(most, abs(Int(one[x] >> shift & 255) - Int(other[x] >> shift & 255))) }
            }
        }
        return most
    }

    /// Whether the page is drawn directly from the rows of its image.
    static func isScan(_ page: ScanPage, longSide: Int = 100) throws -> Bool {
        try isScan(page.pdf.bytes, longSide: longSide)
    }

    static func isScan(_ bytes: [UInt8], page: Int = 0, longSide: Int = 100) throws -> Bool {
        try decoder(bytes, page: page, longSide: longSide) != nil
    }

    /// The decoder of the page's image; `nil` if the page is not drawn as a scan.
    static func decoder(_ bytes: [UInt8], page: Int = 0, longSide: Int = 100) throws -> ScanReader.Decoder? {
        let data = try #require(g_bytes_new(bytes, gsize(bytes.count)))
        defer { g_bytes_unref(data) }
        let document = try Drawing.document(bytes)
        let raster = Raster()
        let geometry = try document.geometry(of: page)
        let (width, height) = geometry.pixels(longSide: longSide)
        try raster.prepare(width: width, height: height)
        guard let reader = ScanReader(data) else { return nil }
        return reader.draw(page: page, geometry, into: raster)
    }
}
