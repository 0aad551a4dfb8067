public import Model

/// The layers of marks on a plan, as far as they could be read.
public struct LayerList: Hashable, Sendable {
    public var layers: [Layer]
    /// Why a layer could not be read completely, in a sentence; what could be read of it is in `layers`.
    public var faults: [LayerID: String]
}
