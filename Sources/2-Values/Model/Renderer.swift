/// Everything about a renderer that changes pixels.
public struct RendererIdentity: Hashable, Sendable, Codable {
    /// The part that every image depends on.
    public var tag: RendererTag
    /// The part that matters only for images that show text in a font from this machine.
    public var fonts: FontSet

    public init(tag: RendererTag, fonts: FontSet) { (self.tag, self.fonts) = (tag, fonts) }
}

/// Names everything in the renderer that affects the pixels of every page: the versions of our raster and of the libraries below it.
public struct RendererTag: OpaqueIdentifier {
    /// The name as the renderer gives it.
    public let text: String
    public init(_ text: String) { self.text = text }

    /// Ends the name of a build that does not know the classes of its version of poppler.
    public static let glibAlone = " poppler-glib-alone"

    public var isOfGlibAlone: Bool { text.hasSuffix(Self.glibAlone) }
}

/// What a renderer's sandbox lacks.
public enum SandboxGap: Hashable, Sendable, Codable, CustomStringConvertible {
    case noLandlock
    case noFilter
    case openNetwork
    /// Fontconfig's rules name this folder, but it is not among those that the renderer may read.
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

/// Identifies the fonts that the renderer can fall back on: two machines with the same set draw the same text if a PDF has
/// no embedded font for it.
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
    /// Pixels on the long side of plain and annotated images. 2732 is that of the largest tablet and of a sharp laptop.
    public var fullSize: Int
    /// Pixels on the long side of thumbnails.
    public var thumbnailSize: Int
    /// The colour of pages, and of what an eraser leaves; opaque.
    public var paper: Color

    /// Makes settings; the defaults are the documented ones.
    public init(fullSize: Int = 2732, thumbnailSize: Int = 320, paper: Color = .white) {
        (self.fullSize, self.thumbnailSize, self.paper) = (fullSize, thumbnailSize, paper)
    }

    /// Pixels on the long side of an image of this variant.
    public func size(of variant: Variant) -> Int {
        variant == .thumbnail ? thumbnailSize : fullSize
    }
}

/// The three images of a page.
public enum Variant: String, Hashable, Comparable, Sendable, Codable, CaseIterable {
    /// The page as it came, full size.
    case plain
    /// The page with everybody's visible marks, full size.
    case annotated
    /// The page as it came, small.
    case thumbnail

    private var rank: Int {
        switch self {
        case .plain: 0
        case .annotated: 1
        case .thumbnail: 2
        }
    }

    /// Full sizes come first, since they are what is played from.
    public static func < (left: Variant, right: Variant) -> Bool { left.rank < right.rank }
}

/// An image that could not be made, or a chart whose pages could not be counted, for a reason that may be in the chart itself.
public struct RenderFault: Hashable, Sendable {
    public var chart: ChartHash
    /// `nil` for the chart as a whole.
    public var image: ImageName?
    /// Which renderer failed; another one may still succeed. An image's name contains it already.
    public var tag: RendererTag
    /// Its last message.
    public var reason: String
    /// How often it was tried.
    public var tries: Int
    /// Whether it is not tried again.
    public var isFinal: Bool
    /// When it was last tried.
    public var at: Timestamp

    public init(chart: ChartHash, image: ImageName?, tag: RendererTag, reason: String, tries: Int, isFinal: Bool, at: Timestamp) {
        (self.chart, self.image, self.tag, self.reason, self.tries, self.isFinal, self.at) = (chart, image, tag, reason, tries, isFinal, at)
    }
}

/// What a renderer's warnings reveal about a page that was drawn all the same.
public enum PageDamage {
    /// The message for a page whose content is named in the file but missing from it.
    public static let contentMissing = "what the page shows is missing from the file"

    /// The message for a file that names more pages than it has.
    public static func pagesMissing(stated: Int, found: Int) -> String { "the PDF says that it has \(stated) pages, but it has \(found)" }

    /// The first warning of something missing from the page: what it should be drawn from is missing, is garbage, or ends too early.
    public static func lostContent(by warnings: [String]) -> String? {
        warnings.first { warning in lost.contains(where: warning.contains) }
    }

    /// poppler's words for compressed data or page contents that are garbage or torn, and for things that a page names but are missing.
    private static let lost = [
        contentMissing, "flate stream", "LZW stream", "End of file inside", "Unterminated string", "Weird page contents",
        "XObject '", "No font in ", "Bad image parameters", "Premature end of JPEG", "premature end of data segment", "bad Huffman code",
    ]
}
