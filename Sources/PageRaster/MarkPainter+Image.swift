import CPoppler
import Model

extension MarkPainter {
    /// Bounds of an embedded picture.
    private static let mostImageBytes = 32 << 20
    private static let mostImagePixels = 32 << 20

    /// A PNG, stretched over its box.
    mutating func paintImage(_ mark: Mark) {
        let box = box(mark)
        guard let text = mark.image, box.width > 0, box.height > 0 else { return }
        guard let surface = Self.decode(text) else {
            warnings.append("the picture of mark \(mark.id) cannot be read or is too large")
            return
        }
        defer { cairo_surface_destroy(surface) }
        guard let shown = stretch(surface, over: box) else { return }
        defer { cairo_surface_destroy(shown.surface) }
        cairo_set_source_surface(context, shown.surface, shown.x, shown.y)
        cairo_paint(context)
    }

    /// What is seen of a picture on the page, in the page's own pixels; `nil` where that is nothing.
    ///
    /// Where exactly a stretched picture is sampled depends on how much of it is painted at once. This is always all of it,
    /// so that it looks the same on whatever rows it is then put.
    private mutating func stretch(
        _ picture: OpaquePointer, over box: (x: Double, y: Double, width: Double, height: Double)
    ) -> (surface: OpaquePointer, x: Double, y: Double)? {
        let (left, top) = (max(box.x, 0).rounded(.down), max(box.y, 0).rounded(.down))
        let right = min(box.x + box.width, width).rounded(.up)
        let bottom = min(box.y + box.height, height).rounded(.up)
        guard left < right, top < bottom,
            let surface = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, Int32(right - left), Int32(bottom - top)),
            let canvas = cairo_create(surface)
        else { return nil }
        defer { cairo_destroy(canvas) }
        cairo_translate(canvas, -left, -top)
        cairo_rectangle(canvas, box.x, box.y, box.width, box.height)
        cairo_clip(canvas)
        cairo_translate(canvas, box.x, box.y)
        let size = (cairo_image_surface_get_width(picture), cairo_image_surface_get_height(picture))
        cairo_scale(canvas, box.width / Double(size.0), box.height / Double(size.1))
        cairo_set_source_surface(canvas, picture, 0, 0)
        // The picture goes on past its edge, or the edge would fade into nothing.
        cairo_pattern_set_extend(cairo_get_source(canvas), CAIRO_EXTEND_PAD)
        cairo_paint(canvas)
        guard cairo_status(canvas) == CAIRO_STATUS_SUCCESS else {
            cairo_surface_destroy(surface)
            warnings.append("some marks may be missing: " + String(cString: cairo_status_to_string(cairo_status(canvas))))
            return nil
        }
        return (surface, left, top)
    }

    /// The picture in a base64 text, if it is a PNG within the bounds.
    private static func decode(_ text: String) -> OpaquePointer? {
        guard text.utf8.count <= mostImageBytes / 3 * 4 else { return nil }
        var count: gsize = 0
        guard let bytes = g_base64_decode(text, &count) else { return nil }
        defer { g_free(bytes) }
        var source = UnsafeBufferPointer(start: bytes, count: Int(count))
        guard let (width, height) = size(source), width > 0, height > 0, max(width, height) <= Raster.longestSide,
            width * height <= mostImagePixels
        else { return nil }
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

    /// What a PNG's header says of its size, read before anything is unpacked.
    private static func size(_ png: UnsafeBufferPointer<UInt8>) -> (width: Int, height: Int)? {
        guard png.count > 24, png.starts(with: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]) else { return nil }
        func number(_ offset: Int) -> Int { (0..<4).reduce(0) { $0 << 8 | Int(png[offset + $1]) } }
        return (number(16), number(20))
    }
}
