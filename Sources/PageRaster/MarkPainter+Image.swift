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
        let imageWidth = Double(cairo_image_surface_get_width(surface))
        let imageHeight = Double(cairo_image_surface_get_height(surface))
        cairo_rectangle(context, box.x, box.y, box.width, box.height)
        cairo_clip(context)
        cairo_translate(context, box.x, box.y)
        cairo_scale(context, box.width / imageWidth, box.height / imageHeight)
        cairo_set_source_surface(context, surface, 0, 0)
        // The picture goes on past its edge, or the edge would fade into nothing.
        cairo_pattern_set_extend(cairo_get_source(context), CAIRO_EXTEND_PAD)
        cairo_paint(context)
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
