import Model

/// The newest entries of the journal: many questions are about them, and reading them anew each time would cost more.
struct JournalTail {
    private(set) var entries: [(number: Int, change: LibraryChange)] = []

    /// More changes than anybody reads about one plan.
    static let length = 2000

    /// The last entry that it knows.
    var last: Int { entries.last?.number ?? 0 }

    mutating func append(_ news: [(number: Int, change: LibraryChange)]) {
        entries = (entries + news).suffix(Self.length)
    }
}
