public import JSON

/// One stroke, text or shape that a musician made on a page.
///
/// Coordinates are fractions of the displayed page's width and height, from the top left. Widths are fractions of the page's width.
public struct Mark: Hashable, Sendable {
    /// The kind of mark. A mark of an unknown kind, from a newer program, is kept but not drawn.
    public enum Kind: Hashable, Sendable {
        case pen, highlighter, eraser, line, rectangle, ellipse, text, image
        /// A place to jump from, a place to land at, and a place with a title.
        case jump, landing, bookmark
        case unknown(String)
    }

    /// The shape of a stroke's ends.
    public enum Cap: String, Hashable, Sendable, Codable {
        case round, butt, square
    }

    /// A point of a stroke. `width` is the stroke's width at this point, if the pen reported it.
    public struct Point: Hashable, Sendable {
        public var x: Double
        public var y: Double
        public var width: Double?

        public init(x: Double, y: Double, width: Double? = nil) { (self.x, self.y, self.width) = (x, y, width) }
    }

    /// The alignment of lines of text.
    public enum Alignment: String, Hashable, Sendable, Codable {
        case left, center, right
    }

    /// The layout of text. By default, lines end where the author ended them, and are aligned at the left.
    public struct Setting: Hashable, Sendable {
        /// The letters' size as a fraction of the page's width.
        public var size: Double?
        /// The name of a font family for Pango.
        public var font: String?
        /// The size of a typographic point as a fraction of the page's width, if letters and lines are placed at whole points, as
        /// in Xournal++; `nil` if they are placed as precisely as the page is drawn.
        public var point: Double?
        /// The width at which lines are broken, as a fraction of the page's width; `nil` if they are not broken.
        public var wrap: Double?
        public var alignment = Alignment.left
        /// Whether broken lines are stretched to the full width.
        public var isJustified = false

        public init(size: Double? = nil, font: String? = nil) { (self.size, self.font) = (size, font) }
    }

    /// A unique id, which never changes during the life of the mark.
    public var id: String
    public var page: PageIndex
    public let kind: Kind
    public let color: Color
    public var width: Double
    public var points: [Point]
    /// The opacity of the interior, from 0 to 1; `nil` for an empty interior.
    public var fill: Double?
    /// The lengths of dashes and gaps, as fractions of the page's width; empty for a solid stroke.
    public var dash: [Double]
    public var cap: Cap
    public var text: String?
    public var setting: Setting
    /// A PNG, or a PDF whose first page is shown, in base64.
    public var image: String?
    public var createdAt: Timestamp?
    /// The key that a chart's chords must have for the mark to be shown; `nil` for a mark that is shown in all keys.
    public var key: String?
    /// The id of the landing in the same layer that a jump leads to.
    public var leads: String?
    /// The only time through, from 1 to 9, at which a jump is taken; `nil` for a jump that is always taken.
    public var pass: Int?
    /// The first digits of the hash of the chart that a mark was made on (`ChartHash.beginning`); `nil` if that is not known. It is written
    /// with the mark's `pointSum`: a program that does not know the field keeps it when it moves the mark.
    public var on: String?
    /// Fields that this program does not know, kept for other programs.
    public var unknown: [String: JSONValue]

    /// Makes a mark. By default, optional properties are absent, and strokes are thin, black and round.
    public init(
        id: String, page: PageIndex, kind: Kind, color: Color = .black, width: Double = 0.002, points: [Point] = [],
        fill: Double? = nil, dash: [Double] = [], cap: Cap = .round, text: String? = nil, setting: Setting = Setting(),
        image: String? = nil, createdAt: Timestamp? = nil, unknown: [String: JSONValue] = [:]
    ) {
        self.id = id
        self.page = page
        self.kind = kind
        self.color = color
        self.width = width
        self.points = points
        self.fill = fill
        self.dash = dash
        self.cap = cap
        self.text = text
        self.setting = setting
        self.image = image
        self.createdAt = createdAt
        self.unknown = unknown
    }
}

extension Mark {
    /// The only key in which the mark is shown; `nil` if it is shown in all keys, as when `key` is not the name of a key.
    public var chordKey: ChordKey? { key.flatMap { ChordKey($0) } }
}

extension Mark.Kind: RawRepresentable, Codable {
    private static let known: [Mark.Kind] = [
        .pen, .highlighter, .eraser, .line, .rectangle, .ellipse, .text, .image, .jump, .landing, .bookmark,
    ]

    /// The names of the known kinds.
    public static let names = known.map(\.rawValue)

    public init(rawValue: String) {
        self = Self.known.first { $0.rawValue == rawValue } ?? .unknown(rawValue)
    }

    public var rawValue: String {
        switch self {
        case .pen: "pen"
        case .highlighter: "highlighter"
        case .eraser: "eraser"
        case .line: "line"
        case .rectangle: "rectangle"
        case .ellipse: "ellipse"
        case .text: "text"
        case .image: "image"
        case .jump: "jump"
        case .landing: "landing"
        case .bookmark: "bookmark"
        case .unknown(let name): name
        }
    }
}

extension Mark {
    /// The same mark for a page of another size: at the same distance in points from the top left, and of the same size in points.
    public func laid(on page: PageGeometry, madeOn sheet: PageGeometry) -> Mark {
        guard page != sheet else { return self }
        let (across, down) = (sheet.width / page.width, sheet.height / page.height)
        guard across.isFinite, down.isFinite else { return self }
        var mark = self
        mark.points = points.map { Point(x: $0.x * across, y: $0.y * down, width: $0.width.map { $0 * across }) }
        mark.width *= across
        mark.dash = dash.map { $0 * across }
        mark.setting.size = setting.size.map { $0 * across }
        mark.setting.point = setting.point.map { $0 * across }
        mark.setting.wrap = setting.wrap.map { $0 * across }
        return mark
    }
}

/// A colour with 8 bits per channel, not premultiplied.
public struct Color: Hashable, Sendable, Codable, CustomStringConvertible {
    public var red: UInt8
    public var green: UInt8
    public var blue: UInt8
    public var alpha: UInt8

    /// Opaque black.
    public static let black = Color(red: 0, green: 0, blue: 0)
    /// Opaque white.
    public static let white = Color(red: 255, green: 255, blue: 255)

    /// Makes a colour, which is opaque by default.
    public init(red: UInt8, green: UInt8, blue: UInt8, alpha: UInt8 = 255) {
        (self.red, self.green, self.blue, self.alpha) = (red, green, blue, alpha)
    }

    /// Whether red, green and blue are the same.
    public var isGray: Bool { red == green && green == blue }

    /// Reads `#RRGGBB` or `#RRGGBBAA`. Fails for any other text.
    public init?(_ text: String) {
        let digits = text.dropFirst()
        guard text.hasPrefix("#"), digits.allSatisfy(\.isHexDigit), let value = UInt32(digits, radix: 16) else { return nil }
        switch digits.count {
        case 6: self.init(red: UInt8(value >> 16), green: UInt8(value >> 8 & 255), blue: UInt8(value & 255))
        case 8:
            self.init(
                red: UInt8(value >> 24), green: UInt8(value >> 16 & 255), blue: UInt8(value >> 8 & 255), alpha: UInt8(value & 255))
        default: return nil
        }
    }

    /// The colour as `#RRGGBB`, or as `#RRGGBBAA` if it is not opaque.
    public var description: String {
        "#" + [red, green, blue, alpha].prefix(alpha == 255 ? 3 : 4).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let color = Color(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a colour as #RRGGBB or #RRGGBBAA")
        }
        self = color
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
