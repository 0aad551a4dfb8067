public import Platform

/// A link in the folder that people open that could not be brought up to date.
public struct LinkLeftBehind: Hashable, Sendable {
    public let path: String
    /// Whether there is a link, but to something else.
    public let isThere: Bool

    /// Makes one from its parts.
    public init(path: String, isThere: Bool) {
        self.path = path
        self.isThere = isThere
    }
}

/// What was done to bring the links to the charts up to date.
public struct LinkOutcome: Hashable, Sendable {
    /// Paths of links that are new.
    public internal(set) var made: [String] = []
    /// Paths of links that point to another chart now.
    public internal(set) var retargeted: [String] = []
    /// Paths of links and folders that are gone.
    public internal(set) var removed: [String] = []
    /// Paths of links that no plan wants, kept because one of the user's files is next to them.
    public internal(set) var kept: [String] = []
    /// Paths where the user has put something else, which is left alone.
    public internal(set) var inTheWay: [String] = []
    /// What failed; everything else was done.
    public internal(set) var failures: [SystemError] = []

    /// Whether anything was done.
    public var hasChanges: Bool { !(made.isEmpty && retargeted.isEmpty && removed.isEmpty) }
}
