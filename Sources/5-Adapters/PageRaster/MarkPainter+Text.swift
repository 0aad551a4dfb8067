import CPango
import CPoppler
import Model

extension MarkPainter {
    /// The most characters of a text that are painted. Longer texts are cut, since their layout would take too long.
    private static let longestText = 20_000

    /// Paints text from its top left. Lines break where the text itself breaks, and also at the mark's greatest line length, if the
    /// mark sets one.
    func paintText(_ mark: Mark) {
        guard let (layout, unit) = layout(mark) else { return }
        defer { g_object_unref(UnsafeMutableRawPointer(layout)) }
        let (x, y) = outline.text(mark).corner
        cairo_translate(context, x, y)
        cairo_scale(context, unit, unit)
        cairo_move_to(context, 0, 0)
        setColor(mark.color, alpha: Double(mark.color.alpha) / 255)
        // Paint letters as shapes if possible, since cairo moves each letter to whole pixels. But in a PDF, text stays text;
        // emoji have no shapes; and texts of Xournal++ must look as in Xournal++.
        if keepsVectors || isInPoints(mark) || mark.hasEmoji {
            pango_cairo_show_layout(context, layout)
        } else {
            pango_cairo_layout_path(context, layout)
            cairo_fill(context)
        }
    }

    /// How far text reaches across and down the page, in pixels.
    func reach(ofText mark: Mark) -> (xs: ClosedRange<Double>, ys: ClosedRange<Double>)? {
        guard let (layout, unit) = layout(mark) else { return nil }
        defer { g_object_unref(UnsafeMutableRawPointer(layout)) }
        var ink = PangoRectangle()
        var logical = PangoRectangle()
        pango_layout_get_pixel_extents(layout, &ink, &logical)
        let (x, y) = outline.text(mark).corner
        func reach(from origin: Double, _ starts: [Int32], _ ends: [Int32]) -> ClosedRange<Double> {
            let first = Double(starts.min() ?? 0) * unit
            return origin + first...origin + max(first, Double(ends.max() ?? 0) * unit)
        }
        return (
            reach(from: x, [ink.x, logical.x], [ink.x + ink.width, logical.x + logical.width]),
            reach(from: y, [ink.y, logical.y], [ink.y + ink.height, logical.y + logical.height])
        )
    }

    /// The text's layout, which the caller has to release, and the size of its unit in pixels.
    ///
    /// The unit is the point if the text was set in points, and the pixel otherwise. For letters that are not painted as shapes,
    /// Pango rounds positions to the unit, since cairo would round each by itself. Lines have the font's own spacing and gap.
    private func layout(_ mark: Mark) -> (layout: OpaquePointer, unit: Double)? {
        guard let text = mark.text, mark.setting.size != nil,
            let fonts = pango_font_map_create_context(pango_cairo_font_map_get_default())
        else { return nil }
        defer { g_object_unref(UnsafeMutableRawPointer(fonts)) }
        let isInPoints = isInPoints(mark)
        let unit = isInPoints ? length(mark.setting.point ?? 0) : 1
        // Turn off subpixel rendering, because it would colour a gray page. Shapes scale with the page, apart from the slight
        // hinting that Xournal++ uses for its own texts.
        let options = cairo_font_options_create()
        defer { cairo_font_options_destroy(options) }
        cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY)
        cairo_font_options_set_hint_style(options, isInPoints ? CAIRO_HINT_STYLE_SLIGHT : CAIRO_HINT_STYLE_NONE)
        cairo_font_options_set_hint_metrics(options, isInPoints ? CAIRO_HINT_METRICS_ON : CAIRO_HINT_METRICS_OFF)
        pango_cairo_context_set_font_options(fonts, options)
        pango_context_set_round_glyph_positions(fonts, isInPoints || mark.hasEmoji ? 1 : 0)
        guard let layout = pango_layout_new(fonts) else { return nil }

        let font = pango_font_description_from_string(mark.setting.font ?? "sans")
        defer { pango_font_description_free(font) }
        // An absolute size, in units, does not depend on the resolution that a screen claims to have.
        pango_font_description_set_absolute_size(font, Self.pango(min(outline.text(mark).size / unit, 4096)))
        pango_layout_set_font_description(layout, font)
        pango_layout_set_line_spacing(layout, 1)
        if let wrap = mark.setting.wrap, wrap > 0 {
            pango_layout_set_width(layout, Int32(Self.pango(min(length(wrap) / unit, 100_000))))
            pango_layout_set_wrap(layout, PANGO_WRAP_WORD_CHAR)
        }
        pango_layout_set_alignment(layout, mark.setting.alignment.pango)
        pango_layout_set_justify(layout, mark.setting.isJustified ? 1 : 0)
        let shown = String(text.prefix(Self.longestText))
        pango_layout_set_text(layout, shown, Int32(shown.utf8.count))
        return (layout, unit)
    }

    private func isInPoints(_ mark: Mark) -> Bool { length(mark.setting.point ?? 0) > 0.001 }

    /// A length in Pango's own steps, rounded, since Pango itself would cut off fractions.
    private static func pango(_ length: Double) -> Double { (length * Double(PANGO_SCALE)).rounded() }
}

extension Mark.Alignment {
    fileprivate var pango: PangoAlignment {
        switch self {
        case .left: PANGO_ALIGN_LEFT
        case .center: PANGO_ALIGN_CENTER
        case .right: PANGO_ALIGN_RIGHT
        }
    }
}
