/// The digest of all inputs of an image. Two images with the same key have the same pixels.
public struct ImageKey: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The digest of the inputs.
    public let digest: Digest

    public init(_ digest: Digest) { self.digest = digest }

    public var description: String { digest.shortHex }
    public static func < (left: ImageKey, right: ImageKey) -> Bool { left.digest < right.digest }
}

/// Everything that an image is made from.
public struct ImageInputs: Hashable, Sendable {
    public private(set) var tag: RendererTag
    /// The machine's fonts; `nil` if the image does not depend on them, because neither the page nor the marks show text in them.
    public let fonts: FontSet?
    public let chart: ChartHash
    public let page: PageIndex
    public let variant: Variant
    /// The number of pixels on the long side.
    public private(set) var size: Int
    /// The number of pixels on the long side of the raster that the image is scaled down from; `nil` for an image that is not scaled.
    public private(set) var scaledFrom: Int?
    /// The colour of the page.
    public private(set) var paper: Color
    /// The marks that are drawn; `nil` if there are none, or the variant shows no marks.
    public let marks: MarkDigest?

    /// Makes inputs. A page without visible marks has no annotated image, so its annotated inputs equal the plain ones.
    ///
    /// `chartNeedsFonts` must be true if the chart has text in fonts that are not embedded.
    public init(
        renderer: RendererIdentity, chart: ChartHash, chartNeedsFonts: Bool, page: PageIndex, variant: Variant,
        settings: RenderSettings, marks: MarkDigest? = nil
    ) {
        tag = renderer.tag
        self.chart = chart
        self.page = page
        size = settings.size(of: variant)
        scaledFrom = variant == .thumbnail ? settings.fullSize : nil
        paper = settings.paper
        self.variant = variant == .annotated && marks == nil ? .plain : variant
        self.marks = variant == .annotated ? marks : nil
        fonts = chartNeedsFonts || self.marks?.showsText == true ? renderer.fonts : nil
    }

    /// The same inputs, but drawn by the renderer `tag`, which has the same fonts.
    public func drawn(by tag: RendererTag) -> ImageInputs {
        var inputs = self
        inputs.tag = tag
        return inputs
    }

    /// The same inputs, but with the size and paper of the image format `other`.
    public func made(in other: ImageFormat) -> ImageInputs {
        var inputs = self
        (inputs.size, inputs.scaledFrom, inputs.paper) = (other.size, other.scaledFrom, other.paper)
        return inputs
    }

    /// The name of the renderer, followed by that of the machine's fonts if the image depends on them.
    public var rendererName: String { tag.text + (fonts.map { " fonts-\($0)" } ?? "") }

    /// The digest of the inputs.
    public var key: ImageKey {
        var form = CanonicalBytes(capacity: 256)
        form.append("woodshed image 2\n")
        form.append(chart.digest)
        form.append(page.value)
        form.append(variant.canonicalNumber)
        form.append(size)
        form.append(scaledFrom ?? -1)
        form.append(paper)
        form.append(marks?.digest)
        form.append(fonts?.digest)
        // The tag is the only free text. Because it comes last, two different inputs cannot give the same bytes.
        form.append(tag.text)
        return ImageKey(form.digest)
    }
}

extension Variant {
    /// The variant's number in keys. It must never change.
    fileprivate var canonicalNumber: Int {
        switch self {
        case .plain: 0
        case .annotated: 1
        case .thumbnail: 2
        }
    }
}
