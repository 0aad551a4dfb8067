/// How the watching stands.
public struct WatchState: Hashable, Sendable {
    /// How many folders are watched, those included in which a missing root is awaited.
    public let folders: Int
    /// Roots that are not there, or may not be read.
    public let missing: [String]
    /// Why nothing is watched at all; `nil` when all is well.
    public let trouble: WatchTrouble?
}
