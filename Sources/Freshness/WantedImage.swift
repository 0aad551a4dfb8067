public import Model

/// An image that should be in the cache.
public struct WantedImage: Hashable, Sendable {
    public let name: ImageName
    public let inputs: ImageInputs
    public let priority: RenderPriority

    /// Makes a wish for the image that follows from `inputs`.
    public init(_ inputs: ImageInputs, priority: RenderPriority) {
        self.init(inputs, name: ImageName(inputs), priority: priority)
    }

    /// The same with the name that is known to follow from `inputs`.
    init(_ inputs: ImageInputs, name: ImageName, priority: RenderPriority) {
        self.inputs = inputs
        self.name = name
        self.priority = priority
    }
}
