/// Names what about the renderer changes every page's pixels: our raster's version and those of the libraries below it.
public struct RendererTag: Hashable, Sendable, Codable, CustomStringConvertible {
    /// The name as the renderer tells it.
    public let text: String

    /// Takes a tag as the renderer tells it.
    public init(_ text: String) {
        self.text = text
    }

    public var description: String { text }

    public init(from decoder: any Decoder) throws {
        text = try decoder.singleValueContainer().decode(String.self)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}
