import CPango
import CPoppler

/// A photograph or another picture as a PDF of one page, without margins.
public struct PicturePage {
    /// The PDF. On one machine, the same picture always gives the same bytes.
    public let pdf: [UInt8]

    /// With more pixels, unpacking a PNG could take more memory than a worker may use.
    private static let mostPixels = 100_000_000
    /// The long side of A4, in points.
    private static let longSide = 841.89
    /// How many times longer than the other one a side may be.
    private static let longestShape = 20

    /// Makes a PDF of a JPEG or a PNG, recognised by its bytes.
    public init(of file: [UInt8]) throws(RasterFailure) {
        if file.starts(with: [0xFF, 0xD8]) {
            pdf = try Self.page(of: try JPEGParts(file))
        } else if file.starts(with: [0x89, 0x50, 0x4E, 0x47]) {
            let drawn = file.withUnsafeBufferPointer { png in Result { () throws(RasterFailure) in try Self.page(ofPNG: png) } }
            pdf = try drawn.get()
        } else {
            throw .drawing("it is neither a JPEG nor a PNG; save it as one of these")
        }
    }

    /// Makes a PDF that contains the JPEG as it is, so that it loses nothing, and is as small as before.
    private static func page(of jpeg: JPEGParts) throws(RasterFailure) -> [UInt8] {
        try check(jpeg.width, jpeg.height)
        // Only the size of this surface counts. Nobody touches its pixels, so they take no memory.
        guard let surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, Int32(jpeg.width), Int32(jpeg.height)) else {
            throw .drawing("out of memory")
        }
        defer { cairo_surface_destroy(surface) }
        let drawn = jpeg.bytes.withUnsafeBufferPointer { bytes in
            Result { () throws(RasterFailure) in
                guard let start = bytes.baseAddress,
                    cairo_surface_set_mime_data(surface, CAIRO_MIME_TYPE_JPEG, start, UInt(bytes.count), nil, nil) == CAIRO_STATUS_SUCCESS
                else { throw RasterFailure.drawing("out of memory") }
                // The bytes are read when the PDF is finished, so they must be here until then.
                return try Self.page(of: surface, jpeg.width, jpeg.height, orientation: jpeg.orientation)
            }
        }
        let pdf = try drawn.get()
        // If cairo did not understand the JPEG, it has drawn the pixels of the surface, which are black.
        guard pdf.count > jpeg.bytes.count else { throw .drawing("it is a JPEG of a rare kind; save it anew with another program") }
        return pdf
    }

    private static func page(ofPNG png: UnsafeBufferPointer<UInt8>) throws(RasterFailure) -> [UInt8] {
        guard let (width, height) = Picture.size(png) else { throw .drawing("the picture ends too early; copy it again") }
        try check(width, height)
        guard let surface = Picture.unpack(png, mostPixels: mostPixels) else {
            throw .drawing("it is a PNG that is damaged, ends too early or takes too much memory; copy it again, or save a smaller one")
        }
        defer { cairo_surface_destroy(surface) }
        return try page(of: surface, width, height, orientation: 1)
    }

    private static func check(_ width: Int, _ height: Int) throws(RasterFailure) {
        guard width > 0, height > 0 else { throw .drawing("the picture has no pixels") }
        guard max(width, height) <= Raster.longestSide, width * height <= mostPixels else {
            throw .drawing(
                "the picture has \(width) by \(height) pixels, and at most \(mostPixels / 1_000_000) million are drawn, "
                    + "\(Raster.longestSide) in a row; save a smaller copy")
        }
        guard max(width, height) <= longestShape * min(width, height) else {
            throw .drawing("a picture of \(width) by \(height) pixels is too narrow for a page; cut it into several")
        }
    }

    /// Draws a picture as a page. `width` and `height` are its pixels before it is turned.
    private static func page(
        of picture: OpaquePointer, _ width: Int, _ height: Int, orientation: Int
    ) throws(RasterFailure) -> [UInt8] {
        let (across, down) = (Double(width), Double(height))
        let scale = longSide / max(across, down)
        let isOnItsSide = orientation > 4
        let pdf = try CairoPDF(width: (isOnItsSide ? down : across) * scale, height: (isOnItsSide ? across : down) * scale)
        // A chart is identified by its bytes, so they must not contain the time when it was made.
        cairo_pdf_surface_set_metadata(pdf.surface, CAIRO_PDF_METADATA_CREATE_DATE, "2000-01-01T00:00:00Z")
        cairo_scale(pdf.context, scale, scale)
        var matrix = Self.matrix(orientation, across, down)
        cairo_transform(pdf.context, &matrix)
        cairo_set_source_surface(pdf.context, picture, 0, 0)
        cairo_paint(pdf.context)
        cairo_show_page(pdf.context)
        return try pdf.finish("the picture")
    }

    /// Places a picture of this size by Exif's number. The numbers 2 to 4 mean that it is mirrored from side to side, from top to bottom,
    /// or both; 5 to 8 mean that rows and columns are exchanged, alone or in addition.
    private static func matrix(_ orientation: Int, _ width: Double, _ height: Double) -> cairo_matrix_t {
        switch orientation {
        case 2: cairo_matrix_t(xx: -1, yx: 0, xy: 0, yy: 1, x0: width, y0: 0)
        case 3: cairo_matrix_t(xx: -1, yx: 0, xy: 0, yy: -1, x0: width, y0: height)
        case 4: cairo_matrix_t(xx: 1, yx: 0, xy: 0, yy: -1, x0: 0, y0: height)
        case 5: cairo_matrix_t(xx: 0, yx: 1, xy: 1, yy: 0, x0: 0, y0: 0)
        case 6: cairo_matrix_t(xx: 0, yx: 1, xy: -1, yy: 0, x0: height, y0: 0)
        case 7: cairo_matrix_t(xx: 0, yx: -1, xy: -1, yy: 0, x0: height, y0: width)
        case 8: cairo_matrix_t(xx: 0, yx: -1, xy: 1, yy: 0, x0: 0, y0: width)
        default: cairo_matrix_t(xx: 1, yx: 0, xy: 0, yy: 1, x0: 0, y0: 0)
        }
    }
}
