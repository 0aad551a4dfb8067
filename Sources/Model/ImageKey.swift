/// The digest of everything that an image is made from. Two images with the same key have the same pixels.
public struct ImageKey: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The digest of the inputs.
    public let digest: Digest

    /// Wraps a digest of an image's inputs.
    public init(_ digest: Digest) {
        self.digest = digest
    }

    public var description: String { digest.shortHex }
    public static func < (left: ImageKey, right: ImageKey) -> Bool { left.digest < right.digest }
}

/// Everything that one image is made from.
public struct ImageInputs: Hashable, Sendable {
    public let tag: RendererTag
    public let chart: ChartHash
    public let page: PageIndex
    public let variant: Variant
    /// Pixels on the long side.
    public let size: Int
    /// Pixels on the long side of the raster that it is scaled down from; `nil` where it is the raster itself.
    public let scaledFrom: Int?
    /// The marks drawn; `nil` where there are none or the variant shows none.
    public let marks: MarkDigest?

    /// Makes inputs. A page without visible marks has no annotated image of its own: its annotated inputs are the plain ones.
    public init(
        tag: RendererTag, chart: ChartHash, page: PageIndex, variant: Variant, settings: RenderSettings, marks: MarkDigest? = nil
    ) {
        self.tag = tag
        self.chart = chart
        self.page = page
        size = settings.size(of: variant)
        scaledFrom = variant == .thumbnail ? settings.fullSize : nil
        self.variant = variant == .annotated && marks == nil ? .plain : variant
        self.marks = variant == .annotated ? marks : nil
    }

    /// The name that follows from the inputs alone.
    public var key: ImageKey {
        // The tag is the only free text; it stands last, so that no two inputs can spell the same.
        ImageKey(
            SHA256.digest(
                of: """
                    woodshed image 1
                    \(chart.digest.hex)
                    \(page.value)
                    \(variant.rawValue)
                    \(size) \(scaledFrom.map { "of \($0)" } ?? "")
                    \(marks?.digest.hex ?? "-")
                    \(tag.text)
                    """))
    }
}
