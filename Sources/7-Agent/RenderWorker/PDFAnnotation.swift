import CBinding
import Model
import PageRaster

/// The place of a sheet on a page: over the visible part, which may be cropped and rotated.
struct SheetPlace {
    /// Converts points on the sheet, whose origin is at the bottom left, to the page's own points.
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

    func place(_ box: woodshed_box) -> woodshed_box {
        let (first, second) = (place(box.left, box.bottom), place(box.right, box.top))
        return woodshed_box(
            left: min(first.x, second.x), bottom: min(first.y, second.y), right: max(first.x, second.x), top: max(first.y, second.y))
    }

    /// Converts the page's own points back to points on the sheet.
    func placeOnSheet(_ x: Double, _ y: Double) -> (x: Double, y: Double) {
        let (x, y) = (x - matrix.x, y - matrix.y)
        return (matrix.a * x + matrix.b * y, matrix.c * x + matrix.d * y)
    }
}

/// A mark as a PDF annotation. It looks as Woodshed draws it until another program changes it, and then as that program draws it.
/// `AnnotationMarks` reads the annotations back.
struct PDFAnnotation {
    /// The part of the sheet that shows the mark.
    let box: woodshed_box
    /// The entries that readers need in order to change the mark, in the syntax of PDFs.
    let entries: String

    init(_ mark: Mark, in area: MarkSheets.Box, on geometry: PageGeometry, at place: SheetPlace) {
        box = woodshed_box(left: area.left, bottom: area.bottom, right: area.right, top: area.top)
        let points = mark.points.map { place.place($0.x * geometry.width, (1 - $0.y) * geometry.height) }
        // 4 is the flag for printing.
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
        case .rectangle: entries += ["/Subtype /Square", border, inside, Self.inset(of: mark, in: box, on: geometry, at: place)]
        case .ellipse: entries += ["/Subtype /Circle", border, inside, Self.inset(of: mark, in: box, on: geometry, at: place)]
        case .text:
            let size = Self.number((mark.setting.size ?? 0) * geometry.width)
            let alignment = [Mark.Alignment.left: 0, .center: 1, .right: 2][mark.setting.alignment] ?? 0
            let look = parts.map(Self.number).joined(separator: " ") + " rg /Helv \(size) Tf"
            entries += ["/Subtype /FreeText", "/Contents \(Self.text(mark.text ?? ""))", "/DA (\(look))", "/Q \(alignment)"]
            entries.append(Self.inset(of: mark, in: box, on: geometry, at: place))
        case .image, .jump, .landing, .bookmark, .unknown: entries.append("/Subtype /Stamp")
        }
        entries.append(Self.ours(mark, on: geometry))
        self.entries = entries.joined(separator: " ")
    }

    /// The entry for the distances between the mark itself and the sides of the part that shows it.
    private static func inset(
        of mark: Mark, in box: woodshed_box, on geometry: PageGeometry, at place: SheetPlace
    ) -> String {
        let corners = mark.kind == .text ? mark.points.prefix(1) : mark.points.prefix(2)
        let (xs, ys) = (corners.map { $0.x * geometry.width }, corners.map { (1 - $0.y) * geometry.height })
        guard let left = xs.min(), let right = xs.max(), let bottom = ys.min(), let top = ys.max() else { return "" }
        let isText = mark.kind == .text
        // Ink off the page is not in the box, so the mark's corners are limited to the box.
        let inner = place.place(
            woodshed_box(
                left: max(left, box.left), bottom: isText ? box.bottom : max(bottom, box.bottom),
                right: isText ? box.right : min(right, box.right), top: min(top, box.top)))
        let outer = place.place(box)
        let sides = [inner.left - outer.left, outer.top - inner.top, outer.right - inner.right, inner.bottom - outer.bottom]
        return "/RD \(list(sides.map { max($0, 0) }))"
    }

    /// Details without standard entries in PDFs, for Woodshed's own import.
    private static func ours(_ mark: Mark, on geometry: PageGeometry) -> String {
        var entries = ["/Kind /\(mark.kind.rawValue)"]
        if mark.cap != .round { entries.append("/Cap /\(mark.cap.rawValue)") }
        if let fill = mark.fill { entries.append("/Fill \(number(fill))") }
        if mark.points.contains(where: { $0.width != nil }) {
            // The mark's own width comes first; -1 stands for a point without a width.
            let widths = mark.points.map { $0.width.map { $0 * geometry.width } ?? -1 }
            entries.append("/Widths \(list([mark.width * geometry.width] + widths))")
        }
        if let font = mark.setting.font { entries.append("/Font \(text(font))") }
        for (name, length) in [("Wrap", mark.setting.wrap), ("Point", mark.setting.point)] {
            if let length { entries.append("/\(name) \(number(length * geometry.width))") }
        }
        if mark.setting.isJustified { entries.append("/Justified 1") }
        return "/Woodshed << \(entries.joined(separator: " ")) >>"
    }

    private static func list(_ numbers: [Double]) -> String { "[" + numbers.map(number).joined(separator: " ") + "]" }

    /// A number as PDFs write it, rounded to a thousandth of a point, which is finer than any printer, and limited to a million,
    /// wider than any page.
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
