public import Catalogue
public import Model
public import Platform

/// What has changed, for people to read.
@LoopActor
public final class JournalStore {
    let catalogue: OpenCatalogue

    /// Its end, kept from question to question.
    var tail = JournalTail()

    var database: Database { catalogue.database }

    init(_ catalogue: OpenCatalogue) {
        self.catalogue = catalogue
    }
}

extension JournalStore {
    /// How far back the journal goes: over a year, so that the same feast can be compared, …
    static var journalAge: Duration { .seconds(400 * 86400) }
    /// … and however restless the service is, not past some ten megabytes.
    static var journalLength: Int { 50_000 }

    /// What changed at `since` or later, in the order in which it was found; everything there is without it.
    public func entries(since: Timestamp? = nil) throws(LibraryError) -> [JournalEntry] {
        try database.rows(
            "SELECT at, change FROM journal WHERE at >= ? ORDER BY number", [.integer(since?.nanoseconds ?? .min)]
        ) { row throws(LibraryError) in
            JournalEntry(
                time: Timestamp(nanoseconds: Int64(row.integer(0))),
                change: try StoredJSON.read(LibraryChange.self, row.text(1), in: database))
        }
    }

    /// Lets go of what was read; it may be another journal by now.
    func forgetWhatWasRead() { tail = JournalTail() }

    /// Lets go of what is older than `journalAge`.
    func removeOldEntries(at now: Timestamp) throws(LibraryError) {
        try database.run("DELETE FROM journal WHERE at < ?", [.time(now - Self.journalAge)])
    }

    /// Journals `changes`, in the transaction that makes them, and lets go of what is too much.
    func record(_ changes: [LibraryChange], at time: Timestamp) throws(LibraryError) {
        guard !changes.isEmpty else { return }
        for change in changes {
            try database.run(
                "INSERT INTO journal (at, change) VALUES (?, ?)", [.time(time), .text(try StoredJSON.write(change, in: database))])
        }
        try database.run(
            "DELETE FROM journal WHERE number <= (SELECT max(number) FROM journal) - ?", [.integer(Self.journalLength)])
    }
}
