/// A change, and when it was found.
public struct JournalEntry: Hashable, Sendable, Codable {
    /// When a poll found it.
    public let time: Timestamp
    /// What it was.
    public let change: LibraryChange

    /// Makes an entry.
    public init(time: Timestamp, change: LibraryChange) {
        self.time = time
        self.change = change
    }
}
