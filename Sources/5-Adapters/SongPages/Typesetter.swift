import CPango
import Model

/// Measures and paints text with the fonts of this machine.
final class Typesetter: TextMeasure {
    /// The fonts of sheets, the preferred one first. Later fonts stand in if it is not installed, or for letters that it lacks.
    private static let sans = "Noto Sans,DejaVu Sans,Liberation Sans,sans-serif"
    private static let mono = "DejaVu Sans Mono,Noto Sans Mono,Liberation Mono,monospace"
    /// The only size, in points, at which fonts are looked up and text is measured. The look-up takes longest, and text can be
    /// painted at any other size. A large size keeps rounding errors small.
    private static let reference = 100.0

    private let context: OpaquePointer
    private let layout: OpaquePointer
    private var fonts: [Look: OpaquePointer] = [:]
    /// The first measured text with a letter that no installed font has.
    private(set) var unknown: String?
    private var widths: [Face: [String: Double]] = [:]

    private struct Look: Hashable {
        let isBold, isItalic, isMono: Bool
    }

    init() throws(Trouble) {
        guard let context = pango_font_map_create_context(pango_cairo_font_map_get_default()), let layout = pango_layout_new(context) else {
            throw .outOfMemory
        }
        (self.context, self.layout) = (context, layout)
        let options = cairo_font_options_create()
        defer { cairo_font_options_destroy(options) }
        // Do not fit letters to the pixels of a screen, so that they have the same proportions at all sizes.
        cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE)
        cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF)
        pango_cairo_context_set_font_options(context, options)
        pango_context_set_round_glyph_positions(context, 0)
        // Use the same language on every machine, since it can affect the choice of fonts and letters.
        pango_context_set_language(context, pango_language_from_string("en"))
        pango_layout_set_single_paragraph_mode(layout, 1)
    }

    deinit {
        for font in fonts.values { pango_font_description_free(font) }
        g_object_unref(UnsafeMutableRawPointer(layout))
        g_object_unref(UnsafeMutableRawPointer(context))
    }

    func width(of text: String, in face: Face) -> Double {
        if let known = widths[face]?[text] { return known }
        set(text, in: face)
        var bounds = PangoRectangle()
        pango_layout_get_extents(layout, nil, &bounds)
        if unknown == nil, pango_layout_get_unknown_glyphs_count(layout) > 0 { unknown = text }
        let width = Double(bounds.width) / Double(PANGO_SCALE) / Self.reference * face.size
        widths[face, default: [:]][text] = width
        return width
    }

    /// Paints a text in the current colour. It begins at `x` on the baseline; `size` is the size of the words, in points. A text of a line
    /// that is read from the right is, too, even if it begins with a word that is not.
    func paint(
        _ text: String, in face: Face, size: Double, x: Double, baseline: Double, isFromRight: Bool = false, on page: OpaquePointer
    ) {
        if isFromRight {
            pango_context_set_base_dir(context, PANGO_DIRECTION_RTL)
            pango_layout_set_auto_dir(layout, 0)
        }
        defer {
            if isFromRight {
                pango_context_set_base_dir(context, PANGO_DIRECTION_WEAK_LTR)
                pango_layout_set_auto_dir(layout, 1)
            }
        }
        set(text, in: face)
        let scale = size * face.size / Self.reference
        cairo_save(page)
        cairo_translate(page, x, baseline)
        cairo_scale(page, scale, scale)
        cairo_move_to(page, 0, 0)
        pango_cairo_show_layout_line(page, pango_layout_get_line_readonly(layout, 0))
        cairo_restore(page)
    }

    private func set(_ text: String, in face: Face) {
        pango_layout_set_font_description(layout, font(face))
        // A ligature for fi would leave no position for a chord between the letters, and would need another font in the PDF.
        let list = pango_attr_list_new()
        pango_attr_list_insert(list, pango_attr_font_features_new("liga=0,clig=0"))
        if face.tracking > 0 {
            let spacing = face.tracking / face.size * Self.reference * Double(PANGO_SCALE)
            pango_attr_list_insert(list, pango_attr_letter_spacing_new(Int32(spacing.rounded())))
        }
        pango_layout_set_attributes(layout, list)
        pango_attr_list_unref(list)
        var text = text
        text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) {
                guard let start = $0.baseAddress else { return }
                pango_layout_set_text(layout, start, Int32($0.count))
            }
        }
    }

    private func font(_ face: Face) -> OpaquePointer {
        let look = Look(isBold: face.isBold, isItalic: face.isItalic, isMono: face.isMono)
        if let font = fonts[look] { return font }
        let font = pango_font_description_new()!
        pango_font_description_set_family(font, face.isMono ? Self.mono : Self.sans)
        pango_font_description_set_weight(font, face.isBold ? PANGO_WEIGHT_BOLD : PANGO_WEIGHT_NORMAL)
        pango_font_description_set_style(font, face.isItalic ? PANGO_STYLE_ITALIC : PANGO_STYLE_NORMAL)
        pango_font_description_set_absolute_size(font, Self.reference * Double(PANGO_SCALE))
        fonts[look] = font
        return font
    }
}
