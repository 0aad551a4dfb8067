public import Model

/// An image that should be in the cache.
public struct WantedImage: Hashable, Sendable {
    public let name: ImageName
    public let inputs: ImageInputs
    public let priority: RenderPriority

    /// Makes a request for the image that follows from `inputs`.
    public init(_ inputs: ImageInputs, priority: RenderPriority) {
        self.init(inputs, name: ImageName(inputs), priority: priority)
    }

    /// The same with a name that is already known to follow from `inputs`.
    init(_ inputs: ImageInputs, name: ImageName, priority: RenderPriority) {
        self.inputs = inputs
        self.name = name
        self.priority = priority
    }
}
