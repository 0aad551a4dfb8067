public import Catalogue
public import Model

/// The changes, recorded for people to read.
public final class JournalStore: Store {
    /// The newest entries, kept in memory: many queries use them, and reading them from the database each time would be slower.
    private var tail: [(number: Int, change: LibraryChange)] = []
    /// How many entries are kept in memory: more changes than a person reads about one plan.
    static var tailLength: Int { 2000 }

    /// How long entries are kept: over a year, so that people can compare the same feast with last year's.
    static var journalAge: Duration { .seconds(400 * 86400) }
    /// How many entries are kept, however often the service changes things: some ten megabytes.
    static var journalLength: Int { 50_000 }

    /// The changes found at `since` or later, in the order in which they were found; all changes if `since` is `nil`.
    public func entries(since: Timestamp? = nil) throws(LibraryError) -> [JournalEntry] {
        try database.rows(
            "SELECT at, change FROM journal WHERE at >= ? ORDER BY number", [.integer(since?.nanoseconds ?? .min)]
        ) { row throws(LibraryError) in
            JournalEntry(time: row.moment(0), change: try StoredJSON.read(LibraryChange.self, row.text(1), in: database))
        }
    }

    /// Removes the entries of changes that were found more than `journalAge` ago.
    func removeOldEntries(at now: Timestamp) throws(LibraryError) {
        try database.run("DELETE FROM journal WHERE noticed_at < ?", [.time(now - Self.journalAge)])
    }

    /// Journals `changes`, inside the transaction that makes them, and removes the oldest entries if there are too many.
    func record(_ changes: [LibraryChange], at time: Timestamp) throws(LibraryError) {
        guard !changes.isEmpty else { return }
        for change in changes {
            try database.put("journal", ["at": .time(time), "change": .text(try StoredJSON.write(change, in: database))])
        }
        try database.run("DELETE FROM journal WHERE number <= (SELECT max(number) FROM journal) - ?", [.integer(Self.journalLength)])
    }

    /// The changes of a plan, its charts and their marks since the plan was last read, as far as they are in `tail`, in the order
    /// in which they were found. The result is empty for a plan that nobody has opened, since everything in it is new.
    public func unseenChanges(of contents: PlanContents) throws(LibraryError) -> [LibraryChange] {
        let seen = try database.row("SELECT journal_number FROM seen_plans WHERE plan_id = ?", [.id(contents.plan.id)]) { $0.integer(0) }
        return try seen.map { number throws(LibraryError) in try changes(of: contents, after: number) } ?? []
    }

    /// Notes that a plan is opened. If this is the first time, the plan's earlier changes count as read.
    public func noteLook(at plan: PlanID) throws(LibraryError) {
        if try !database.has("SELECT 1 FROM seen_plans WHERE plan_id = ?", [.id(plan)]) { try noteSeen(plan) }
    }

    /// The changes of a plan, its charts and their marks after the entry with this number, as far as they are in `tail`.
    public func changes(of contents: PlanContents, after number: Int) throws(LibraryError) -> [LibraryChange] {
        let charts = Set(contents.attachments.map(\.id))
        return try newestEntries().filter { $0.number > number && $0.change.concerns(contents.plan.id, charts) }.map(\.change)
    }

    /// The number of the newest entry; 0 if there is none.
    public var lastNumber: Int {
        get throws(LibraryError) { try database.row("SELECT max(number) FROM journal") { $0.integer(0) } ?? 0 }
    }

    /// Notes that the changes of a plan have been read.
    public func noteSeen(_ plan: PlanID) throws(LibraryError) {
        try database.write { () throws(LibraryError) in
            guard try database.has("SELECT 1 FROM plans WHERE id = ?", [.id(plan)]) else { throw .unknownPlan(plan) }
            try database.run(
                """
                INSERT INTO seen_plans (plan_id, journal_number) SELECT ?, coalesce(max(number), 0) FROM journal WHERE TRUE
                ON CONFLICT (plan_id) DO UPDATE SET journal_number = excluded.journal_number
                """, [.id(plan)])
        }
    }

    private func newestEntries() throws(LibraryError) -> [(number: Int, change: LibraryChange)] {
        let news = try database.rows(
            "SELECT number, change FROM journal WHERE number > ? ORDER BY number DESC LIMIT ?",
            [.integer(tail.last?.number ?? 0), .integer(Self.tailLength)]
        ) { row throws(LibraryError) in
            (number: row.integer(0), change: try StoredJSON.read(LibraryChange.self, row.text(1), in: database))
        }
        tail = (tail + news.reversed()).suffix(Self.tailLength)
        return tail
    }
}
