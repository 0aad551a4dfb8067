import CBinding
import Model
import PageRaster

/// Where a sheet lies on a page: over what is shown of it, which may be cropped and rotated.
struct SheetPlace {
    /// From points on the sheet, whose origin is at the bottom left, to the page's own.
    let matrix: woodshed_matrix

    init(crop: MarkSheets.Box, rotation: Int) {
        matrix =
            switch rotation {
            case 90: woodshed_matrix(a: 0, b: 1, c: -1, d: 0, x: crop.right, y: crop.bottom)
            case 180: woodshed_matrix(a: -1, b: 0, c: 0, d: -1, x: crop.right, y: crop.top)
            case 270: woodshed_matrix(a: 0, b: -1, c: 1, d: 0, x: crop.left, y: crop.top)
            default: woodshed_matrix(a: 1, b: 0, c: 0, d: 1, x: crop.left, y: crop.bottom)
            }
    }

    func place(_ x: Double, _ y: Double) -> (x: Double, y: Double) {
        (matrix.a * x + matrix.c * y + matrix.x, matrix.b * x + matrix.d * y + matrix.y)
    }
}

/// A mark as an annotation of a PDF: it looks as we draw it until a reader of PDFs changes it, and then as that program draws it.
struct PDFAnnotation {
    /// The part of the sheet that shows it.
    let box: woodshed_box
    /// What readers need in order to change it, in the syntax of PDFs.
    let entries: String

    init(_ mark: Mark, in area: MarkSheets.Box, on geometry: PageGeometry, at place: SheetPlace) {
        box = woodshed_box(left: area.left, bottom: area.bottom, right: area.right, top: area.top)
        let points = mark.points.map { place.place($0.x * geometry.width, (1 - $0.y) * geometry.height) }
        // It is printed, too.
        var entries = ["/F 4", "/NM \(Self.text(mark.id))"]
        let color = mark.kind == .eraser ? Color.white : mark.color
        let parts = [color.red, color.green, color.blue].map { Double($0) / 255 }
        entries.append("/C \(Self.list(parts))")
        if color.alpha < 255 { entries.append("/CA \(Self.number(Double(color.alpha) / 255))") }
        let widest = mark.points.reduce(mark.width) { max($0, $1.width ?? 0) } * geometry.width
        let dashes = mark.dash.isEmpty ? "/S /S" : "/S /D /D \(Self.list(mark.dash.map { $0 * geometry.width }))"
        let border = "/BS << /W \(Self.number(widest)) \(dashes) >>"
        let inside = mark.fill.map { $0 > 0 ? "/IC \(Self.list(parts))" : "" } ?? ""
        let line = points.flatMap { [$0.x, $0.y] }
        switch mark.kind {
        case .pen, .highlighter, .eraser:
            entries += ["/Subtype /Ink", "/InkList [\(Self.list(line))]", border]
            if mark.kind == .highlighter { entries.append("/BM /Multiply") }
        case .line where points.count == 2: entries += ["/Subtype /Line", "/L \(Self.list(line))", border]
        case .line: entries += ["/Subtype /PolyLine", "/Vertices \(Self.list(line))", border]
        case .rectangle: entries += ["/Subtype /Square", border, inside]
        case .ellipse: entries += ["/Subtype /Circle", border, inside]
        case .text:
            let size = Self.number((mark.size ?? 0) * geometry.width)
            let alignment = [Mark.Alignment.left: 0, .center: 1, .right: 2][mark.setting.alignment] ?? 0
            let look = parts.map(Self.number).joined(separator: " ") + " rg /Helv \(size) Tf"
            entries += ["/Subtype /FreeText", "/Contents \(Self.text(mark.text ?? ""))", "/DA (\(look))", "/Q \(alignment)"]
        case .image, .unknown: entries.append("/Subtype /Stamp")
        }
        self.entries = entries.joined(separator: " ")
    }

    private static func list(_ numbers: [Double]) -> String { "[" + numbers.map(number).joined(separator: " ") + "]" }

    /// As PDFs write numbers: a thousandth of a point is finer than any printer, and no page is a thousand metres wide.
    private static func number(_ value: Double) -> String {
        let rounded = (min(max(value, -1e6), 1e6) * 1000).rounded() / 1000
        return rounded == rounded.rounded() ? String(Int(rounded)) : String(rounded)
    }

    /// Any text, as UTF-16 in hexadecimal digits.
    private static func text(_ text: String) -> String {
        let units = text.utf16.map { unit in
            let digits = String(unit, radix: 16)
            return String(repeating: "0", count: 4 - digits.count) + digits
        }
        return "<FEFF" + units.joined() + ">"
    }
}
