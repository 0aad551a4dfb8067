public import Model

/// The layers of marks on a plan, as far as they could be read.
public struct LayerList: Hashable, Sendable {
    public var layers: [Layer]
    /// Why not all of a layer could be read, in a sentence; it stands among `layers` with what could be.
    public var faults: [LayerID: String]
}
