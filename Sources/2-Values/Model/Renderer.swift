/// Everything about a renderer that affects pixels.
public struct RendererIdentity: Hashable, Sendable, Codable {
    /// The part that all images depend on.
    public var tag: RendererTag
    /// The part that matters only for images that show text in the machine's fonts.
    public var fonts: FontSet

    public init(tag: RendererTag, fonts: FontSet) { (self.tag, self.fonts) = (tag, fonts) }
}

/// Identifies everything in the renderer that affects the pixels of all pages: the versions of our raster and of the libraries it uses.
public struct RendererTag: OpaqueIdentifier {
    /// The tag as the renderer reports it.
    public let text: String
    public init(_ text: String) { self.text = text }

    /// The ending of the tag of a build that does not know the classes of its version of poppler, and uses only poppler-glib.
    public static let glibAlone = " poppler-glib-alone"

    public var isOfGlibAlone: Bool { text.hasSuffix(Self.glibAlone) }
}

/// A protection that a renderer's sandbox lacks, or a folder that it cannot read.
public enum SandboxGap: Hashable, Sendable, Codable, CustomStringConvertible {
    case noLandlock
    case noFilter
    case openNetwork
    /// Fontconfig's rules name this folder, but the renderer is not permitted to read it.
    case fonts(inFolder: String)

    public var description: String {
        switch self {
        case .noLandlock: "the kernel has no landlock, so a PDF that takes over the renderer could read your files"
        case .noFilter: "the kernel cannot filter system calls, so a PDF that takes over the renderer could start programs"
        case .openNetwork: "the kernel's landlock does not cover the network, so a PDF that takes over the renderer could reach it"
        case .fonts(let folder): "fonts in \(folder) are not used, since the renderer only looks in the usual folders"
        }
    }
}

/// Identifies the fonts that the renderer can use as substitutes. If a PDF has no embedded font for a text, two machines with the
/// same set of fonts draw the text in the same way.
public struct FontSet: Hashable, Sendable, Codable, CustomStringConvertible {
    /// The digest of the fonts' descriptions.
    public let digest: Digest

    public init(_ digest: Digest) { self.digest = digest }

    public var description: String { digest.shortHex }

    public init(from decoder: any Decoder) throws { digest = try Digest(from: decoder) }

    public func encode(to encoder: any Encoder) throws { try digest.encode(to: encoder) }
}

/// The user's choices for the looks of pages.
public struct RenderSettings: Hashable, Sendable {
    /// The number of pixels on the long side of plain and annotated images. By default, 2732, as on the largest tablet and a sharp laptop.
    public var fullSize: Int
    /// The number of pixels on the long side of thumbnails.
    public var thumbnailSize: Int
    /// The opaque colour of pages, and of the areas that an eraser has erased.
    public var paper: Color

    /// Makes settings; the defaults are the documented ones.
    public init(fullSize: Int = 2732, thumbnailSize: Int = 320, paper: Color = .white) {
        (self.fullSize, self.thumbnailSize, self.paper) = (fullSize, thumbnailSize, paper)
    }

    /// The number of pixels on the long side of an image of this variant.
    public func size(of variant: Variant) -> Int {
        variant == .thumbnail ? thumbnailSize : fullSize
    }
}

/// The three images of a page.
public enum Variant: String, Hashable, Comparable, Sendable, Codable, CaseIterable {
    /// The page without marks, full size.
    case plain
    /// The page with all visible marks, full size.
    case annotated
    /// The page without marks, small.
    case thumbnail

    private var rank: Int {
        switch self {
        case .plain: 0
        case .annotated: 1
        case .thumbnail: 2
        }
    }

    /// Images of full size are drawn first, since people play from them.
    public static func < (left: Variant, right: Variant) -> Bool { left.rank < right.rank }
}

/// An image that could not be made, or a chart whose pages could not be counted. The chart itself may be the cause.
public struct RenderFault: Hashable, Sendable {
    public var chart: ChartHash
    /// The image that could not be made; `nil` if the fault concerns the chart as a whole.
    public var image: ImageName?
    /// The renderer that failed. Another renderer may succeed; it would also give the image another name.
    public var tag: RendererTag
    /// The message of the last attempt.
    public var reason: String
    /// How many attempts were made.
    public var tries: Int
    /// Whether no further attempt will be made.
    public var isFinal: Bool
    /// When the last attempt was made.
    public var at: Timestamp

    public init(chart: ChartHash, image: ImageName?, tag: RendererTag, reason: String, tries: Int, isFinal: Bool, at: Timestamp) {
        (self.chart, self.image, self.tag, self.reason, self.tries, self.isFinal, self.at) = (chart, image, tag, reason, tries, isFinal, at)
    }
}

/// Detects from a renderer's warnings that something is missing on a page that was drawn nevertheless.
public enum PageDamage {
    /// The message for a page that refers to content which is missing from the file.
    public static let contentMissing = "what the page shows is missing from the file"

    /// The message for a file that claims to have more pages than it has.
    public static func pagesMissing(stated: Int, found: Int) -> String { "the PDF says that it has \(stated) pages, but it has \(found)" }

    /// The first warning that something is missing on the page, because its data is missing, invalid or incomplete; `nil` if
    /// there is no such warning.
    public static func lostContent(by warnings: [String]) -> String? {
        warnings.first { warning in lost.contains(where: warning.contains) }
    }

    /// Parts of poppler's messages about invalid or truncated data, and about missing things that a page refers to.
    private static let lost = [
        contentMissing, "flate stream", "LZW stream", "End of file inside", "Unterminated string", "Weird page contents",
        "XObject '", "No font in ", "Bad image parameters", "Premature end of JPEG", "premature end of data segment", "bad Huffman code",
    ]
}
