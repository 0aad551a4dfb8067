import CPango
import CPoppler
import Model

/// A picture that is part of a mark: pixels, or the first page of a PDF.
final class Picture {
    private enum Content {
        case pixels(OpaquePointer)
        case page(OpaquePointer, of: OpaquePointer)
    }

    private let content: Content
    /// The size of the picture, in pixels for a PNG and in points for a PDF.
    let width: Double
    let height: Double

    /// A picture with more pixels is left out.
    private static let mostPixels = 32 << 20
    /// The longest side of a PDF's page, in points. PDFs are formulas, and no formula is larger.
    private static let longestSide = 14_400.0

    /// The picture in a base64 text; `nil` if it cannot be read or is too large.
    init?(_ text: String, _ form: Mark.ImageForm?) {
        var count: gsize = 0
        guard let form, let bytes = g_base64_decode(text, &count) else { return nil }
        defer { g_free(bytes) }
        let source = UnsafeBufferPointer(start: UnsafePointer(bytes), count: Int(count))
        switch form {
        case .png:
            guard let surface = Self.unpack(source) else { return nil }
            content = .pixels(surface)
            width = Double(cairo_image_surface_get_width(surface))
            height = Double(cairo_image_surface_get_height(surface))
        case .pdf:
            guard let (page, document) = Self.firstPage(source) else { return nil }
            content = .page(page, of: document)
            var size = (width: 0.0, height: 0.0)
            poppler_page_get_size(page, &size.width, &size.height)
            (width, height) = size
            let sides = 0.01...Self.longestSide
            guard sides.contains(width), sides.contains(height) else { return nil }
        }
    }

    deinit {
        switch content {
        case .pixels(let surface): cairo_surface_destroy(surface)
        case .page(let page, let document):
            g_object_unref(UnsafeMutableRawPointer(page))
            g_object_unref(UnsafeMutableRawPointer(document))
        }
    }

    /// Paints the picture at the origin, `width` by `height`. The edge of a picture of pixels fades out from half a pixel inside to
    /// half a pixel outside; a page is cut off at its edge.
    func paint(on canvas: OpaquePointer) {
        switch content {
        case .pixels(let surface):
            cairo_set_source_surface(canvas, surface, 0, 0)
            cairo_paint(canvas)
        case .page(let page, _):
            cairo_rectangle(canvas, 0, 0, width, height)
            cairo_clip(canvas)
            poppler_page_render(page, canvas)
        }
    }

    private static func firstPage(_ source: UnsafeBufferPointer<UInt8>) -> (page: OpaquePointer, document: OpaquePointer)? {
        // Copy the bytes, because the document reads from them while it exists.
        guard let bytes = g_bytes_new(source.baseAddress, gsize(source.count)) else { return nil }
        defer { g_bytes_unref(bytes) }
        guard let document = poppler_document_new_from_bytes(bytes, nil, nil) else { return nil }
        guard poppler_document_get_n_pages(document) > 0, let page = poppler_document_get_page(document, 0) else {
            g_object_unref(UnsafeMutableRawPointer(document))
            return nil
        }
        return (page, document)
    }

    /// The pixels of a PNG; `nil` if it cannot be read or has more pixels than `mostPixels`. The caller destroys them.
    static func unpack(_ png: UnsafeBufferPointer<UInt8>, mostPixels: Int = Picture.mostPixels) -> OpaquePointer? {
        guard let (width, height) = size(png), width > 0, height > 0, max(width, height) <= Raster.longestSide,
            width * height <= mostPixels
        else { return nil }
        var source = png
        let surface = withUnsafeMutablePointer(to: &source) { pointer in
            cairo_image_surface_create_from_png_stream(
                { context, target, length in
                    guard let source = context?.assumingMemoryBound(to: UnsafeBufferPointer<UInt8>.self),
                        Int(length) <= source.pointee.count
                    else { return CAIRO_STATUS_READ_ERROR }
                    target?.update(from: source.pointee.baseAddress!, count: Int(length))
                    source.pointee = UnsafeBufferPointer(rebasing: source.pointee[Int(length)...])
                    return CAIRO_STATUS_SUCCESS
                }, pointer)
        }
        guard cairo_surface_status(surface) == CAIRO_STATUS_SUCCESS else {
            cairo_surface_destroy(surface)
            return nil
        }
        return surface
    }

    // MARK: - Headers

    /// The first 27 bytes in a base64 text, which contain the header of a PNG; empty if the text is shorter.
    private static func header(of text: String) -> [UInt8] {
        var count: gsize = 0
        guard text.utf8.count >= 36, let bytes = g_base64_decode(String(text.prefix(36)), &count) else { return [] }
        defer { g_free(bytes) }
        return Array(UnsafeBufferPointer(start: bytes, count: Int(count)))
    }

    /// The size according to the header of the PNG in a base64 text; `nil` if it is not a PNG.
    static func pixels(of text: String) -> (width: Int, height: Int)? { header(of: text).withUnsafeBufferPointer(size) }

    /// Whether a base64 text's PNG has the colour type of gray, with transparency or without.
    static func isGray(_ text: String) -> Bool {
        let header = header(of: text)
        return header.count >= 26 && (header[25] == 0 || header[25] == 4)
    }

    /// The size according to a PNG's header, read before anything is unpacked.
    static func size(_ png: UnsafeBufferPointer<UInt8>) -> (width: Int, height: Int)? {
        guard png.count > 24, png.starts(with: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]) else { return nil }
        func number(_ offset: Int) -> Int { (0..<4).reduce(0) { $0 << 8 | Int(png[offset + $1]) } }
        return (number(16), number(20))
    }
}

extension MarkPainter {
    /// The bytes of the largest picture that is drawn, not counting those that base64 adds.
    private static let mostImageBytes = 32 << 20

    /// Paints a picture over its box, mirrored if the second corner is to the left of the first or above it.
    mutating func paintImage(_ mark: Mark) {
        let (first, second) = (place(mark.points[0]), place(mark.points[1]))
        guard let text = mark.image, first.x != second.x, first.y != second.y else { return }
        guard text.utf8.count <= Self.mostImageBytes / 3 * 4, let picture = Picture(text, mark.imageForm) else {
            warnings.append("the picture of mark \(mark.id) cannot be read or is too large")
            return
        }
        if keepsVectors {
            lay(picture, from: first, to: second, on: context)
            return
        }
        guard let shown = stretch(picture, from: first, to: second) else { return }
        defer { cairo_surface_destroy(shown.surface) }
        cairo_set_source_surface(context, shown.surface, shown.x, shown.y)
        cairo_paint(context)
    }

    /// The visible part of a picture on the page, in the page's own pixels; `nil` if there is none.
    ///
    /// Cairo samples a stretched picture differently when only a part of it is painted. So it is always painted as a whole here,
    /// and looks the same on any rows on which it is put later.
    private mutating func stretch(
        _ picture: Picture, from first: (x: Double, y: Double), to second: (x: Double, y: Double)
    ) -> (surface: OpaquePointer, x: Double, y: Double)? {
        // Add one of the picture's own pixels on each side, where its edge fades out.
        let (besideX, besideY) = (abs(second.x - first.x) / picture.width + 1, abs(second.y - first.y) / picture.height + 1)
        let left = max(min(first.x, second.x) - besideX, 0).rounded(.down)
        let top = max(min(first.y, second.y) - besideY, 0).rounded(.down)
        let right = min(max(first.x, second.x) + besideX, width).rounded(.up)
        let bottom = min(max(first.y, second.y) + besideY, height).rounded(.up)
        guard left < right, top < bottom,
            let surface = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, Int32(right - left), Int32(bottom - top)),
            let canvas = cairo_create(surface)
        else { return nil }
        defer { cairo_destroy(canvas) }
        cairo_translate(canvas, -left, -top)
        lay(picture, from: first, to: second, on: canvas)
        guard cairo_status(canvas) == CAIRO_STATUS_SUCCESS else {
            cairo_surface_destroy(surface)
            warnings.append("some marks may be missing: " + String(cString: cairo_status_to_string(cairo_status(canvas))))
            return nil
        }
        return (surface, left, top)
    }
    private func lay(_ picture: Picture, from first: (x: Double, y: Double), to second: (x: Double, y: Double), on canvas: OpaquePointer) {
        cairo_translate(canvas, first.x, first.y)
        cairo_scale(canvas, (second.x - first.x) / picture.width, (second.y - first.y) / picture.height)
        picture.paint(on: canvas)
    }
}
