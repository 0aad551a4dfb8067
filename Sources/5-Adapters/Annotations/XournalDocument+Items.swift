import FoundationEssentials
import Model

extension XournalDocument {
    /// Begins an item for an element of a layer. For an element that cannot be drawn, returns `nil` and adds a note, except for
    /// invisible strokes.
    func beginItem(_ element: String, _ attributes: XMLAttributes) -> Item? {
        guard let scale = page?.scale else { return nil }
        switch element {
        case "stroke": return beginStroke(attributes)
        // A link is drawn like a text.
        case "text", "link": return beginText(attributes, scale)
        case "image", "teximage": return beginPicture(attributes, scale, isFormula: element == "teximage")
        default:
            notes.add("elements of an unknown kind left out", at: place)
            return nil
        }
    }

    /// Turns an item into marks once its text is complete.
    func finish(_ item: Item) throws(MarkFileFault) {
        switch item {
        case .stroke(let stroke):
            try finish(stroke)
        case .text(var mark):
            let text = String(decoding: buffer, as: UTF8.self)
            guard !text.isEmpty else { return }
            mark.text = text
            try add(mark)
        case .picture(let mark, let isFormula, let entry):
            try finishPicture(mark, isFormula: isFormula, entry: entry)
        }
    }

    // MARK: - Strokes

    private func beginStroke(_ attributes: XMLAttributes) -> Item? {
        let kind: Mark.Kind
        switch attributes["tool"] ?? "pen" {
        case "pen": kind = .pen
        case "highlighter": kind = .highlighter
        case "eraser": kind = .eraser
        default:
            notes.add("strokes with an unknown tool left out", at: place)
            return nil
        }
        var widths: [Double] = []
        attributes.withBytes("width") { bytes in
            var scanner = NumberScanner(bytes)
            // A stroke cannot have more points than `limits.strokePoints`, so ignore further widths.
            while widths.count <= limits.strokePoints, let width = scanner.next() { widths.append(width) }
        }
        guard let width = widths.first, width > 0, width <= XournalScale.farthest else {
            notes.add("strokes without a width left out", at: place)
            return nil
        }
        let segments = Array(widths.dropFirst())
        var dash = XournalStroke.dash(attributes["style"] ?? "")
        if dash == nil {
            notes.add("strokes with an unknown line style drawn without dashes", at: place)
            dash = []
        }
        let fill = attributes.number("fill")
        // A filled highlighter stroke of opacity zero is invisible: its border is as faint as its area.
        if kind == .highlighter, fill == 0 { return nil }
        return .stroke(
            XournalStroke(
                kind: kind, color: color(attributes, of: kind), width: width,
                // A highlighter has one width, whatever the pressure.
                widths: segments.isEmpty || kind == .highlighter ? nil : segments,
                cap: Mark.Cap(rawValue: attributes["capStyle"] ?? "") ?? .round, dash: dash ?? [],
                fill: fill > 0 ? min(fill, 255) / 255 : nil))
    }

    private func finish(_ stroke: XournalStroke) throws(MarkFileFault) {
        guard let scale = page?.scale else { return }
        var places: [(x: Double, y: Double)] = []
        var hasOdd = false
        var isFar = false
        buffer.withUnsafeBufferPointer { bytes in
            var scanner = NumberScanner(bytes)
            while let x = scanner.next(), places.count <= limits.strokePoints {
                guard let y = scanner.next() else {
                    hasOdd = true
                    break
                }
                // The condition is negated so that NaN counts as too far.
                isFar = isFar || !(abs(x) <= XournalScale.farthest && abs(y) <= XournalScale.farthest)
                places.append((x, y))
            }
        }
        guard places.count <= limits.strokePoints else { throw .tooMany("points in one stroke", limit: limits.strokePoints) }
        guard !isFar else { return notes.add("strokes with impossible coordinates left out", at: place) }
        guard !places.isEmpty else { return notes.add("strokes without points left out", at: place) }
        if hasOdd { notes.add("strokes with an incomplete last point drawn without it", at: place) }
        let id = nextID()
        let dash = stroke.dash.map(scale.length)
        for (number, piece) in stroke.pieces(places).enumerated() {
            try add(
                Mark(
                    id: number == 0 ? id : "\(id)-\(number + 1)", page: PageIndex(0), kind: stroke.kind, color: stroke.color,
                    width: scale.length(stroke.width),
                    points: piece.map { scale.point($0.x, $0.y, width: $0.width) },
                    fill: stroke.fill, dash: dash, cap: stroke.cap))
        }
    }

    // MARK: - Text and pictures

    private func beginText(_ attributes: XMLAttributes, _ scale: XournalScale) -> Item? {
        let (x, y, size) = (attributes.number("x"), attributes.number("y"), attributes.number("size"))
        guard abs(x) <= XournalScale.farthest, abs(y) <= XournalScale.farthest, size > 0, size <= XournalScale.farthest else {
            notes.add("texts without a place or a size left out", at: place)
            return nil
        }
        let font = attributes["font"].flatMap { $0.isEmpty || $0.utf8.count > 1000 ? nil : $0 }
        return .text(
            Mark(
                id: nextID(), page: PageIndex(0), kind: .text, color: color(attributes, of: .text),
                points: [scale.point(x, y)], setting: setting(attributes, scale, size, font)))
    }

    private func setting(_ attributes: XMLAttributes, _ scale: XournalScale, _ size: Double, _ font: String?) -> Mark.Setting {
        var setting = Mark.Setting(size: scale.length(size), font: font)
        setting.point = scale.length(1)
        let wrap = attributes.number("wrap")
        if wrap > 0, wrap <= XournalScale.farthest { setting.wrap = scale.length(wrap) }
        switch attributes["align"] ?? "left" {
        // Some programs that convert to this format use numbers.
        case "left", "0": break
        case "center", "1": setting.alignment = .center
        case "right", "2": setting.alignment = .right
        default: notes.add("texts with an unknown alignment set flush left", at: place)
        }
        setting.isJustified = attributes["justify"] == "true"
        return setting
    }

    private func beginPicture(_ attributes: XMLAttributes, _ scale: XournalScale, isFormula: Bool) -> Item? {
        let box = ["left", "top", "right", "bottom"].map { attributes.number($0) }
        guard box.allSatisfy({ abs($0) <= XournalScale.farthest }) else {
            notes.add("pictures without a place left out", at: place)
            return nil
        }
        let corners = [scale.point(box[0], box[1]), scale.point(box[2], box[3])]
        return .picture(Mark(id: nextID(), page: PageIndex(0), kind: .image, points: corners), isFormula: isFormula, entry: nil)
    }

    private func finishPicture(_ unfinished: Mark, isFormula: Bool, entry: String?) throws(MarkFileFault) {
        var mark = unfinished
        if let entry {
            guard let bytes = try entries(entry, limits.pictureBytes / 4 * 3) else {
                return notes.add("pictures that are not in the archive left out", at: place)
            }
            mark.image = Data(bytes).base64EncodedString()
        } else {
            // The base64 digits, without line breaks and blanks.
            let digits = buffer.filter { !($0 == 0x20 || (0x09...0x0d).contains($0)) }
            mark.image = digits.allSatisfy(Self.isDigit) ? String(decoding: digits, as: UTF8.self) : nil
        }
        switch mark.imageForm {
        case .png: try add(mark)
        // PDFs are passed on unopened, because the painter accepts them, too.
        case .pdf where isFormula: try add(mark)
        default:
            notes.add(isFormula ? "formulas that are neither PDF nor PNG left out" : "pictures that are not PNG left out", at: place)
        }
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "="):
            true
        default: false
        }
    }

    private func color(_ attributes: XMLAttributes, of kind: Mark.Kind) -> Color {
        guard var color = Color(xournal: attributes["color"] ?? "black") else {
            notes.add("colours with unknown names drawn black", at: place)
            return .black
        }
        // Xournal++ draws all highlighters at an opacity of 0.47 and everything else opaque, regardless of the file.
        color.alpha = kind == .highlighter ? 120 : 255
        return color
    }
}

/// A stroke as its attributes describe it, before its points are read.
struct XournalStroke {
    var kind: Mark.Kind
    var color: Color
    /// In points, like all lengths of a stroke.
    var width: Double
    /// A width for each segment; `nil` if the whole stroke has one width.
    var widths: [Double]?
    var cap: Mark.Cap
    var dash: [Double]
    var fill: Double?

    /// Points of a stroke, each with the width of the segment that begins there.
    typealias Path = [(x: Double, y: Double, width: Double?)]

    /// The stroke's pieces. A segment without a width divides the stroke, and the stroke ends where the list of widths ends.
    func pieces(_ places: [(x: Double, y: Double)]) -> [Path] {
        guard let widths, places.count > 1 else { return places.isEmpty ? [] : [places.map { ($0.x, $0.y, nil) }] }
        var pieces: [Path] = []
        var piece: Path = []
        for (index, place) in places.prefix(widths.count + 1).enumerated() {
            // The last point has no segment of its own.
            let width = index < min(widths.count, places.count - 1) ? widths[index] : .nan
            if width > 0, width <= XournalScale.farthest {
                piece.append((place.x, place.y, width))
            } else if let last = piece.last {
                // This point ends the segment before it.
                pieces.append(piece + [(place.x, place.y, last.width)])
                piece = []
            }
        }
        return pieces
    }

    /// The dashes for a style's name or its `cust:` list; `nil` for an unknown name or impossible lengths.
    static func dash(_ style: String) -> [Double]? {
        switch style {
        case "", "plain": return []
        case "dash": return [6, 3]
        case "dashdot": return [6, 3, 0.5, 3]
        case "dot": return [0.5, 3]
        default:
            guard style.hasPrefix("cust:") else { return nil }
            // The worker draws only the first 16 lengths, so ignore any further ones.
            let lengths = NumberScanner.all(in: String(style.dropFirst(5)), most: 16)
            return lengths.allSatisfy { (0...XournalScale.farthest).contains($0) } ? lengths : nil
        }
    }
}

/// Converts lengths and coordinates from points, the unit of Xournal++, to fractions of the page.
struct XournalScale {
    /// The greatest length or coordinate that is accepted, in points. No page is as large.
    static let farthest = 1_000_000.0

    let page: PageGeometry

    private var width: Double { page.width }
    private var height: Double { page.height }

    func length(_ points: Double) -> Double { points / width }

    func point(_ x: Double, _ y: Double, width: Double? = nil) -> Mark.Point {
        Mark.Point(x: x / self.width, y: y / height, width: width.map(length))
    }
}

extension Color {
    /// A colour as Xournal writes it: `#RRGGBBAA`, or one of eleven names.
    init?(xournal text: String) {
        if let color = Color(text) {
            self = color
        } else if let color = Self.xournalNames[text].flatMap({ Color($0) }) {
            self = color
        } else {
            return nil
        }
    }

    private static let xournalNames = [
        "black": "#000000", "blue": "#3333cc", "red": "#ff0000", "green": "#008000", "gray": "#808080", "lightblue": "#00c0ff",
        "lightgreen": "#00ff00", "magenta": "#ff00ff", "orange": "#ff8000", "yellow": "#ffff00", "white": "#ffffff",
    ]
}
