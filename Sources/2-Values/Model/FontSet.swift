/// Identifies the fonts that the renderer can fall back on: two machines with the same set draw the same text if a PDF has
/// no embedded font for it.
public struct FontSet: Hashable, Sendable, Codable, CustomStringConvertible {
    /// The digest of the fonts' descriptions.
    public let digest: Digest

    /// Wraps a digest of the fonts' descriptions.
    public init(_ digest: Digest) {
        self.digest = digest
    }

    public var description: String { digest.shortHex }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let digest = Digest(hex: try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not 64 hexadecimal digits")
        }
        self.digest = digest
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(digest.hex)
    }
}
