import CBinding
import Model
import Rendering

/// Reads annotations as marks. Annotations that `PDFAnnotation` wrote become the original marks, others the most similar kinds of mark.
struct AnnotationMarks {
    private(set) var marks: [Mark] = []
    /// How many annotations were left out. Annotations that resemble no kind of mark are counted by their own kind, or as "other"
    /// if that kind is unknown. Hidden annotations are counted together.
    private(set) var leftOut: [String: Int] = [:]
    private var bytes = 0

    /// Kinds of annotations that are not notes. They belong to other annotations, or are actions of a page.
    private static let silent: Set = ["Popup", "Link", "Widget"]
    /// The flags of annotations that are hidden, or only printed.
    private static let unseen = 1 << 1 | 1 << 5
    private static let named: Set = [
        "Text", "FreeText", "Line", "Square", "Circle", "Polygon", "PolyLine", "Highlight", "Underline", "Squiggly", "StrikeOut", "Stamp",
        "Caret", "Ink", "FileAttachment", "Sound", "Movie", "Screen", "Watermark", "Redact", "RichMedia",
    ]

    /// Adds an annotation. Throws if all annotations together have more marks than anybody draws.
    mutating func add(
        _ annotation: PageAnnotations.Entry, of page: PageIndex, on geometry: PageGeometry, at place: SheetPlace
    ) throws(RenderFailure) {
        try spend(64)
        let kind = annotation.text(at: "/Subtype") ?? ""
        let flags = annotation.number(at: "/F").flatMap { Int(exactly: $0) } ?? 0
        guard !Self.silent.contains(kind) else { return }
        guard flags & Self.unseen == 0 else {
            leftOut[ImportedMarks.hidden, default: 0] += 1
            return
        }
        let before = marks.count
        let reader = Reader(entry: annotation, page: page, geometry: geometry, place: place)
        if kind == "Ink" {
            // Read strokes one by one: a short list may refer to the same long stroke over and over.
            for index in 0..<(annotation.items(at: "/InkList") ?? 0) {
                try spend(0, ahead: 12 * (annotation.items(at: "/InkList/\(index)") ?? 0))
                try add(reader.stroke(index))
            }
        } else {
            for mark in reader.marks(kind) { try add(mark) }
        }
        if marks.count == before { leftOut[Self.named.contains(kind) ? kind : "other", default: 0] += 1 }
    }

    private mutating func add(_ mark: Mark?) throws(RenderFailure) {
        guard var mark, mark.isDrawn, mark.color.alpha > 0 || mark.fill ?? 0 > 0 else { return }
        try spend(256 + 24 * mark.points.count + (mark.text?.utf8.count ?? 0))
        mark.id = "\(marks.count + 1)"
        marks.append(mark)
    }

    /// Counts `more` bytes: roughly those for `MarkCoding`, and a few per annotation. Throws before the next `ahead` bytes are read
    /// if these would be too many.
    private mutating func spend(_ more: Int, ahead: Int = 0) throws(RenderFailure) {
        bytes += more
        guard bytes + ahead < ImportedMarks.mostBytes * 3 / 4 else {
            throw .drawing("its annotations have more marks than a musician ever draws")
        }
    }
}

/// One annotation as marks.
private struct Reader {
    let entry: PageAnnotations.Entry
    let page: PageIndex
    let geometry: PageGeometry
    let place: SheetPlace

    /// The marks for an annotation of any kind but ink, which `stroke` reads.
    func marks(_ kind: String) -> [Mark] {
        switch kind {
        case "Highlight": highlights()
        case "Line": shapes(.line, points(at: "/L"))
        case "PolyLine": shapes(.line, points(at: "/Vertices"))
        case "Polygon": shapes(.line, points(at: "/Vertices").flatMap { points in points.first.map { points + [$0] } })
        case "Square": shapes(.rectangle, box(insetBy: lineWidth / 2))
        case "Circle": shapes(.ellipse, box(insetBy: lineWidth / 2))
        case "FreeText": text().map { [$0] } ?? []
        default: []
        }
    }

    // MARK: - Kinds

    func stroke(_ index: Int) -> Mark? {
        guard var points = points(at: "/InkList/\(index)") else { return nil }
        let color = color(at: "/C") ?? .black
        let isMultiplied = entry.text(at: "/BM") == "Multiply"
        let isEraser = ours("Kind") == "eraser" && color == .white
        var width = length(lineWidth)
        // The stored widths apply unless another program has changed the stroke's width or its number of points.
        if index == 0, let widths = entry.numbers(at: "/Woodshed/Widths"), widths.count == points.count + 1,
            abs((widths.max() ?? 0) - lineWidth) < 0.002
        {
            width = length(widths[0])
            for (place, width) in widths.dropFirst().enumerated() where width >= 0 { points[place].width = length(width) }
        }
        // An eraser paints in the paper's colour, so its own colour is not stored.
        var mark = mark(isEraser ? .eraser : isMultiplied ? .highlighter : .pen, points, color: isEraser ? .black : color)
        (mark.width, mark.fill) = (width, entry.number(at: "/Woodshed/Fill").map(Self.rounded))
        return mark
    }

    /// Each highlighted part as a stroke along its middle, which does not cover the words below.
    private func highlights() -> [Mark] {
        guard let points = points(at: "/QuadPoints") else { return [] }
        return stride(from: 0, to: points.count - 3, by: 4).map { start in
            // Programs do not agree on the order of the corners, so take the rectangle around all four.
            let (xs, ys) = (points[start..<start + 4].map(\.x), points[start..<start + 4].map(\.y))
            let (left, right, top, bottom) = (xs.min() ?? 0, xs.max() ?? 0, ys.min() ?? 0, ys.max() ?? 0)
            let tall = (bottom - top) * geometry.height / geometry.width
            let isWide = right - left >= tall
            let ends =
                isWide
                ? [Mark.Point(x: left, y: Self.rounded((top + bottom) / 2)), Mark.Point(x: right, y: Self.rounded((top + bottom) / 2))]
                : [Mark.Point(x: Self.rounded((left + right) / 2), y: top), Mark.Point(x: Self.rounded((left + right) / 2), y: bottom)]
            var mark = mark(.highlighter, ends, color: color(at: "/C") ?? Color(red: 255, green: 255, blue: 0))
            (mark.width, mark.cap, mark.dash) = (Self.rounded(isWide ? tall : right - left), .butt, [])
            return mark
        }
    }

    /// The shape, or two shapes if the inside has another colour than the border.
    private func shapes(_ kind: Mark.Kind, _ points: [Mark.Point]?) -> [Mark] {
        guard let points, points.count >= 2 else { return [] }
        let (border, inside) = (color(at: "/C"), color(at: "/IC"))
        var outline = mark(kind, points, color: border ?? inside ?? .black)
        guard let inside else { return [outline] }
        let fill = Self.rounded(entry.number(at: "/Woodshed/Fill") ?? Double(inside.alpha) / 255)
        guard let border, border != inside else {
            outline.fill = fill
            if border == nil { outline.width = 0 }
            return [outline]
        }
        var area = mark(kind, points, color: inside)
        (area.width, area.fill) = (0, fill)
        return [area, outline]
    }

    private func text() -> Mark? {
        guard let text = entry.text(at: "/Contents"), let box = box(insetBy: 0) else { return nil }
        let look = TextLook(entry.text(at: "/DA") ?? "")
        var mark = mark(.text, [box[0]], color: color(look.color) ?? .black)
        mark.text = text.replacing("\r\n", with: "\n").replacing("\r", with: "\n")
        mark.setting.size = length(look.size)
        (mark.width, mark.dash) = (0.002, [])
        mark.setting.alignment = [1: .center, 2: .right][entry.number(at: "/Q") ?? 0] ?? .left
        guard ours("Kind") == "text" else {
            // In other programs, lines are broken where the box ends.
            mark.setting.wrap = Self.rounded(box[1].x - box[0].x)
            mark.setting.font = look.family
            return mark
        }
        mark.setting.font = ours("Font")
        mark.setting.wrap = entry.number(at: "/Woodshed/Wrap").map(length)
        mark.setting.point = entry.number(at: "/Woodshed/Point").map(length)
        mark.setting.isJustified = entry.number(at: "/Woodshed/Justified") == 1
        return mark
    }

    // MARK: - Parts of an annotation

    private func ours(_ name: String) -> String? { entry.text(at: "/Woodshed/" + name) }

    private func mark(_ kind: Mark.Kind, _ points: [Mark.Point], color: Color) -> Mark {
        Mark(
            id: "", page: page, kind: kind, color: color, width: length(lineWidth), points: points, dash: dash,
            cap: ours("Cap").flatMap { Mark.Cap(rawValue: $0) } ?? .round)
    }

    /// The width of the annotation's lines, in points.
    private var lineWidth: Double {
        if let width = entry.number(at: "/BS/W") { return max(width, 0) }
        guard let border = entry.numbers(at: "/Border/2") else { return 1 }
        return max(border.first ?? 1, 0)
    }

    private var dash: [Double] {
        guard entry.text(at: "/BS/S") == "D" else { return [] }
        let lengths = entry.numbers(at: "/BS/D") ?? [3]
        return lengths.count <= 16 && lengths.allSatisfy { $0 >= 0 } ? lengths.map(length) : []
    }

    private func color(at path: String) -> Color? { color(entry.numbers(at: path) ?? []) }

    /// Gray, RGB or CMYK; any other number of parts is not a colour.
    private func color(_ parts: [Double]) -> Color? {
        let parts = parts.prefix(5).map { min(max($0, 0), 1) }
        func byte(_ share: Double) -> UInt8 { UInt8((255 * share).rounded()) }
        let alpha = byte(min(max(entry.number(at: "/CA") ?? 1, 0), 1))
        switch parts.count {
        case 1: return Color(red: byte(parts[0]), green: byte(parts[0]), blue: byte(parts[0]), alpha: alpha)
        case 3: return Color(red: byte(parts[0]), green: byte(parts[1]), blue: byte(parts[2]), alpha: alpha)
        case 4:
            let paper = 1 - parts[3]
            return Color(
                red: byte((1 - parts[0]) * paper), green: byte((1 - parts[1]) * paper), blue: byte((1 - parts[2]) * paper), alpha: alpha)
        default: return nil
        }
    }

    /// Rounds as Woodshed's own marks are rounded when stored: a mark that returns from a PDF is then recognised.
    private static func rounded(_ value: Double) -> Double { (value * 1e5).rounded() / 1e5 }

    /// A length in points as a fraction of the page's width, limited to 0…10.
    private func length(_ points: Double) -> Double { Self.rounded(min(max(points / geometry.width, 0), 10)) }

    private func points(at path: String) -> [Mark.Point]? {
        entry.numbers(at: path).flatMap { numbers in
            guard !numbers.isEmpty, numbers.count.isMultiple(of: 2) else { return nil }
            return points(numbers)
        }
    }

    /// Pairs of numbers as places; `nil` if one of them is farther away than any page is large.
    private func points(_ numbers: [Double]) -> [Mark.Point]? {
        var points: [Mark.Point] = []
        points.reserveCapacity(numbers.count / 2)
        for index in stride(from: 0, to: numbers.count - 1, by: 2) {
            let (x, y) = place.placeOnSheet(numbers[index], numbers[index + 1])
            let point = Mark.Point(x: Self.rounded(x / geometry.width), y: Self.rounded(1 - y / geometry.height))
            guard abs(point.x) < 100, abs(point.y) < 100 else { return nil }
            points.append(point)
        }
        return points
    }

    /// The top left and bottom right corners of the annotation's shape. Programs store its distance from the sides of its
    /// rectangle; if that is missing, `border` is assumed. Distances that leave no room are ignored.
    private func box(insetBy border: Double) -> [Mark.Point]? {
        guard let sides = entry.numbers(at: "/Rect"), sides.count == 4 else { return nil }
        var (left, bottom) = (min(sides[0], sides[2]), min(sides[1], sides[3]))
        var (right, top) = (max(sides[0], sides[2]), max(sides[1], sides[3]))
        let stated = entry.numbers(at: "/RD") ?? []
        let inset = stated.count == 4 && stated.allSatisfy { $0 >= 0 } ? stated : [border, border, border, border]
        if inset[0] + inset[2] <= right - left, inset[1] + inset[3] <= top - bottom {
            (left, top, right, bottom) = (left + inset[0], top - inset[1], right - inset[2], bottom + inset[3])
        }
        guard let corners = points([left, bottom, right, top]) else { return nil }
        return [
            Mark.Point(x: min(corners[0].x, corners[1].x), y: min(corners[0].y, corners[1].y)),
            Mark.Point(x: max(corners[0].x, corners[1].x), y: max(corners[0].y, corners[1].y)),
        ]
    }
}

/// The style of a text in a PDF, such as `1 0 0 rg /Helv 12 Tf`.
private struct TextLook {
    private(set) var color: [Double] = []
    /// In points.
    private(set) var size = Self.usualSize
    private(set) var family: String?

    private static let usualSize = 12.0

    init(_ text: String) {
        var operands: [Substring] = []
        for token in text.prefix(1000).replacing("/", with: " /").split(whereSeparator: \.isWhitespace) {
            switch token {
            case "g", "rg", "k": color = operands.compactMap { Double($0) }.filter(\.isFinite)
            case "Tf":
                // In a PDF, a size of 0 means one that fits, so the usual size stays.
                if let size = operands.last.flatMap({ Double($0) }), size.isFinite, size > 0 { self.size = size }
                family = operands.dropLast().last.flatMap { name in
                    Self.families.first { name.dropFirst().hasPrefix($0.beginning) }?.family
                }
            default:
                operands.append(token)
                continue
            }
            operands = []
        }
    }

    /// Programs' names for the fonts that every reader of PDFs has.
    private static let families = [("He", "Helvetica"), ("Ti", "Times"), ("Co", "Courier")].map { (beginning: $0.0, family: $0.1) }
}
