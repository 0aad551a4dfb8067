/// Names what in the renderer affects the pixels of every page: the versions of our raster and of the libraries below it.
public struct RendererTag: Hashable, Sendable, Codable, CustomStringConvertible {
    /// The name as the renderer gives it.
    public let text: String

    /// Takes a tag as the renderer gives it.
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
