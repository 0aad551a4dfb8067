import CPango
import CPoppler
import Model

extension MarkPainter {
    /// Longer texts are cut: nobody writes a novel on a page, and layout takes time.
    private static let longestText = 20_000

    /// Text from its top left, with its own line breaks and no others.
    func paintText(_ mark: Mark) {
        guard let layout = layout(mark) else { return }
        defer { g_object_unref(UnsafeMutableRawPointer(layout)) }
        let (x, y) = place(mark.points[0])
        cairo_move_to(context, x, y)
        setColor(of: mark)
        pango_cairo_show_layout(context, layout)
    }

    /// How far text reaches down the page, in pixels.
    func heights(ofText mark: Mark) -> ClosedRange<Double>? {
        guard let layout = layout(mark) else { return nil }
        defer { g_object_unref(UnsafeMutableRawPointer(layout)) }
        var ink = PangoRectangle()
        var logical = PangoRectangle()
        pango_layout_get_pixel_extents(layout, &ink, &logical)
        let y = place(mark.points[0]).y
        let top = Double(min(ink.y, logical.y))
        let bottom = Double(max(ink.y + ink.height, logical.y + logical.height))
        return y + top...y + max(bottom, top)
    }

    /// The text as it is set; the caller lets it go.
    private func layout(_ mark: Mark) -> OpaquePointer? {
        guard let text = mark.text, let size = mark.size, let layout = pango_cairo_create_layout(context) else { return nil }
        // Shapes that scale with the page: no hints, and no sub-pixels, which would colour a gray page.
        let options = cairo_font_options_create()
        defer { cairo_font_options_destroy(options) }
        cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY)
        cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE)
        cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF)
        pango_cairo_context_set_font_options(pango_layout_get_context(layout), options)
        pango_layout_context_changed(layout)

        let font = pango_font_description_from_string(mark.font ?? "sans")
        defer { pango_font_description_free(font) }
        // Absolute: in pixels, whatever resolution a screen claims to have.
        pango_font_description_set_absolute_size(font, min(length(size), 4096) * Double(PANGO_SCALE))
        pango_layout_set_font_description(layout, font)
        let shown = String(text.prefix(Self.longestText))
        pango_layout_set_text(layout, shown, Int32(shown.utf8.count))
        return layout
    }
}
