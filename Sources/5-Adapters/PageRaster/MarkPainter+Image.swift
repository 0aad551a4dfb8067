import CPoppler
import Model

extension MarkPainter {
    /// The largest picture that may be embedded.
    private static let mostImageBytes = 32 << 20

    /// Paints a picture over its box, mirrored if the box goes to the left or up.
    mutating func paintImage(_ mark: Mark) {
        let (first, second) = (place(mark.points[0]), place(mark.points[1]))
        guard let text = mark.image, first.x != second.x, first.y != second.y else { return }
        guard text.utf8.count <= Self.mostImageBytes / 3 * 4, let picture = Picture(text, mark.imageForm) else {
            warnings.append("the picture of mark \(mark.id) cannot be read or is too large")
            return
        }
        guard let shown = stretch(picture, from: first, to: second) else { return }
        defer { cairo_surface_destroy(shown.surface) }
        cairo_set_source_surface(context, shown.surface, shown.x, shown.y)
        cairo_paint(context)
    }

    /// What is visible of a picture on the page, in the page's own pixels; `nil` if nothing is.
    ///
    /// Where exactly a stretched picture is sampled depends on how much of it is painted at once. Here it is always painted as a whole,
    /// so that it looks the same on whatever rows it is put later.
    private mutating func stretch(
        _ picture: Picture, from first: (x: Double, y: Double), to second: (x: Double, y: Double)
    ) -> (surface: OpaquePointer, x: Double, y: Double)? {
        // One of the picture's own pixels more on each side, where its edge fades out.
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
        cairo_translate(canvas, first.x, first.y)
        cairo_scale(canvas, (second.x - first.x) / picture.width, (second.y - first.y) / picture.height)
        picture.paint(on: canvas)
        guard cairo_status(canvas) == CAIRO_STATUS_SUCCESS else {
            cairo_surface_destroy(surface)
            warnings.append("some marks may be missing: " + String(cString: cairo_status_to_string(cairo_status(canvas))))
            return nil
        }
        return (surface, left, top)
    }
}
