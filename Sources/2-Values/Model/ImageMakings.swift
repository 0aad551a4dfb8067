/// What an image was made from, as far as it explains why the next one of its page is made. Its renderer is in its record.
public struct ImageMakings: Hashable, Sendable, Codable {
    /// What one layer draws on the page.
    public struct LayerPart: Hashable, Sendable, Codable {
        public var layer: LayerID
        public var digest: String

        /// Identifies what a layer draws by its digest.
        public init(_ layer: LayerID, _ digest: MarkDigest) {
            self.layer = layer
            self.digest = digest.description
        }
    }

    /// Pixels on the long side.
    public var size: Int
    public var scaledFrom: Int?
    public var paper: Color
    /// The digest of all marks that are drawn, shortened; `nil` if there are none.
    public var marks: String?
    /// The layers that draw something on the page, by id; `nil` if that is not known.
    public var layers: [LayerPart]?

    /// Describes `inputs`; `layers` are those that the marks are from.
    public init(_ inputs: ImageInputs, layers: [LayerPart]? = nil) {
        size = inputs.size
        scaledFrom = inputs.scaledFrom
        paper = inputs.paper
        marks = inputs.marks?.description
        self.layers = layers
    }

    /// What each of these layers draws on `page`, by id.
    public static func parts(of layers: [Layer], on page: PageIndex) -> [LayerPart] {
        layers.compactMap { layer in
            var layer = layer
            layer.marks.removeAll { $0.page != page }
            return PageMarks.join([layer])[page].map { LayerPart(layer.id, $0.digest) }
        }.sorted { $0.layer < $1.layer }
    }
}
