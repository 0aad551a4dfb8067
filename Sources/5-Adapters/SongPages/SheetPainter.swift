import CPango
import Model

/// Paints laid-out pages into a PDF.
final class SheetPainter {
    private final class Output {
        var bytes: [UInt8] = []
    }

    private let output = Output()
    private let surface: OpaquePointer
    let page: OpaquePointer
    let type: Typesetter

    init(_ type: Typesetter, width: Double, height: Double, title: String) throws(Trouble) {
        let surface = cairo_pdf_surface_create_for_stream(
            { output, bytes, count in
                guard let output, let bytes else { return CAIRO_STATUS_WRITE_ERROR }
                Unmanaged<Output>.fromOpaque(output).takeUnretainedValue().bytes.append(
                    contentsOf: UnsafeBufferPointer(start: bytes, count: Int(count)))
                return CAIRO_STATUS_SUCCESS
            }, Unmanaged.passUnretained(output).toOpaque(), width, height)
        guard let surface, let page = cairo_create(surface) else { throw .outOfMemory }
        (self.surface, self.page, self.type) = (surface, page, type)
        // A PDF is identified by its bytes, so they must not contain the time when it was made.
        cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATE_DATE, "2000-01-01T00:00:00Z")
        cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_TITLE, title)
    }

    deinit {
        cairo_destroy(page)
        cairo_surface_destroy(surface)
    }

    func paint(_ labels: [Label]) {
        for label in labels where !label.text.isEmpty {
            set(label.tone)
            let x = label.side == .left ? label.x : label.x - type.width(of: label.text, in: label.face) * label.size
            type.paint(label.text, in: label.face, size: label.size, x: x, baseline: label.baseline, on: page)
        }
    }

    func paintRule(at y: Double, from start: Double, to end: Double) {
        set(.quiet)
        cairo_set_line_width(page, 0.6)
        cairo_move_to(page, start, y)
        cairo_line_to(page, end, y)
        cairo_stroke(page)
    }

    /// Paints a row. `left` and `top` are the position of its top left corner, in points.
    func paint(_ row: Row, slots: [Slot], x left: Double, y top: Double, size: Double) {
        paintDress(of: row, x: left, y: top, size: size)
        for chord in row.chords {
            let slot = slots[chord.slot]
            // `N.C.` and `x2` have to be read, so they are as dark as chords. Bars and strokes may be paler.
            set(slot.text.contains { $0.isLetter || $0.isNumber } ? .ink : .quiet)
            let parts = slot.parts.map { part in
                (part.text, size: size * chord.scale * (part.isRaised ? 0.72 : 1), rise: part.isRaised ? 0.26 * size : 0)
            }
            var x = left + chord.x * size
            if row.rightEdge != nil, !chord.isFromLeft {
                // The chord begins at the right end of its room.
                x += slot.room * chord.scale * size - parts.reduce(0) { $0 + type.width(of: $1.0, in: slot.face) * $1.size }
            }
            for part in parts {
                type.paint(part.0, in: slot.face, size: part.size, x: x, baseline: top + row.chordBaseline * size - part.rise, on: page)
                x += type.width(of: part.0, in: slot.face) * part.size
            }
        }
        set(.ink)
        let baseline = top + row.baseline * size
        for run in row.runs {
            var x = left + run.x * size
            // Joined letters may be narrower than the pieces that were measured.
            let isFromRight = row.rightEdge != nil && !run.isFromLeft
            if isFromRight { x += (run.width - type.width(of: run.text, in: run.face)) * size }
            type.paint(
                run.text, in: run.face, size: size, x: x, baseline: baseline, isFromRight: isFromRight, on: page)
            if run.isUnderlined { line(left + run.x * size, baseline + 0.14 * size, run.width * size, thickness: 0.055 * size) }
        }
        // Draw a line rather than a hyphen, so that a text search still finds the word whole.
        set(.quiet)
        for gap in row.gaps {
            let length = min(gap.width * 0.6, 0.34)
            line(
                left + (gap.x + (gap.width - length) / 2) * size, baseline - 0.27 * size, length * size, thickness: 0.065 * size)
        }
    }

    private func paintDress(of row: Row, x left: Double, y top: Double, size: Double) {
        guard row.dress != .none else { return }
        let left = left + (row.rightEdge.map { $0 - row.end } ?? 0) * size
        cairo_rectangle(page, left - 0.3 * size, top + 0.06 * size, (row.end + 0.6) * size, (row.height - 0.1) * size)
        if row.dress == .shade {
            cairo_set_source_rgb(page, 0.9, 0.9, 0.9)
            cairo_fill(page)
        } else {
            set(.quiet)
            cairo_set_line_width(page, 0.6)
            cairo_stroke(page)
        }
    }

    private func line(_ x: Double, _ y: Double, _ length: Double, thickness: Double) {
        cairo_rectangle(page, x, y - thickness / 2, length, thickness)
        cairo_fill(page)
    }

    func set(_ tone: Label.Tone) {
        switch tone {
        // Chords are black, too: black is the easiest to see from a distance, and colours are left to the musicians' marks. The
        // image of a page without colours also takes half as many bytes.
        case .ink: cairo_set_source_rgb(page, 0, 0, 0)
        case .quiet: cairo_set_source_rgb(page, 0.3, 0.3, 0.3)
        }
    }

    func endPage() { cairo_show_page(page) }

    /// Finishes and returns the PDF. Nothing may be painted afterwards.
    func finish() throws(Trouble) -> [UInt8] {
        cairo_surface_finish(surface)
        let status = cairo_surface_status(surface)
        guard status == CAIRO_STATUS_SUCCESS else {
            throw Trouble("the song cannot be drawn: \(String(cString: cairo_status_to_string(status)))")
        }
        return output.bytes
    }
}
