/// The state of the watching.
public struct WatchState: Hashable, Sendable {
    /// How many folders are watched, including those where a missing root is awaited.
    public let folders: Int
    /// Roots that are not there, or may not be read.
    public let missing: [String]
    /// Roots that cannot be watched, and are to be looked at from time to time instead.
    public let scanned: [String]
    /// Why nothing is watched at all; `nil` when all is well.
    public let trouble: WatchTrouble?

    init(folders: Int, missing: [String], scanned: [String] = [], trouble: WatchTrouble?) {
        self.folders = folders
        self.missing = missing
        self.scanned = scanned
        self.trouble = trouble
    }
}
