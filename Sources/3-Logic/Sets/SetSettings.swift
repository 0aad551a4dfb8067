public import Model

/// Where the musician's own sets are, and how their songs are drawn.
public struct SetSettings: Hashable, Sendable {
    public let folders: [String]
    public let writing: SongView.Writing
    /// The players whose parts of songs are drawn.
    public let players: [String]

    public init(_ folders: [String], writing: SongView.Writing = .letters, players: [String] = []) {
        (self.folders, self.writing, self.players) = (folders, writing, players)
    }
}
