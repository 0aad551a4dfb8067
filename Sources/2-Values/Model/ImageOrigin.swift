/// Where an image comes from: what it was made from, and why it was made.
public struct ImageOrigin: Hashable, Sendable, Codable {
    public var makings: ImageMakings
    /// At least one; more if several things had changed since the last image of the page.
    public var causes: [ImageCause]

    /// Describes where an image comes from.
    public init(_ makings: ImageMakings, causes: [ImageCause]) { (self.makings, self.causes) = (makings, causes) }
}
