/// Everything about a renderer that changes pixels.
public struct RendererIdentity: Hashable, Sendable, Codable {
    /// What every image depends on.
    public var tag: RendererTag
    /// What matters only for images that show text in a font from this machine.
    public var fonts: FontSet

    /// Makes an identity.
    public init(tag: RendererTag, fonts: FontSet) {
        self.tag = tag
        self.fonts = fonts
    }
}
