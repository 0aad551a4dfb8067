public import Catalogue
public import Model

extension ImageStore {
    /// Adds what was counted since the last time; writes nothing if that is nothing.
    public func add(_ tally: CacheTally) throws(LibraryError) {
        let news = Self.counts(tally)
        guard !news.isEmpty else { return }
        try database.write { () throws(LibraryError) in try Self.add(news, to: database) }
    }

    /// The same in the library of `folder`, even while another process writes to it.
    public nonisolated static func add(_ tally: CacheTally, inLibraryAt folder: String) throws(LibraryError) {
        let news = counts(tally)
        guard !news.isEmpty else { return }
        try Database.change(libraryAt: folder) { database throws(LibraryError) in try add(news, to: database) }
    }

    private typealias Count = (event: String, reason: String, count: Int)

    private nonisolated static func counts(_ tally: CacheTally) -> [Count] {
        var counts: [Count] = [("hit", "", tally.hits), ("wait", "", tally.waits)]
        counts += tally.misses.map { ("miss", $0.key.rawValue, $0.value) }
        counts += tally.removals.map { ("removal", $0.key.rawValue, $0.value) }
        return counts.filter { $0.count != 0 }
    }

    private nonisolated static func add(_ counts: [Count], to database: Database) throws(LibraryError) {
        for (event, reason, count) in counts {
            try database.run(
                """
                INSERT INTO cache_tally (event, reason, count) VALUES (?, ?, ?)
                ON CONFLICT (event, reason) DO UPDATE SET count = count + excluded.count
                """, [.text(event), .text(reason), .integer(count)])
        }
    }

    /// How the cache has done since the library was created.
    public func tally() throws(LibraryError) -> CacheTally {
        let rows = try database.rows("SELECT event, reason, count FROM cache_tally") { row in
            (event: row.text(0), reason: row.text(1), count: row.integer(2))
        }
        var tally = CacheTally()
        for row in rows {
            if row.event == "hit" {
                tally.hits = row.count
            } else if row.event == "wait" {
                tally.waits = row.count
            } else if row.event == "miss", let reason = MissReason(rawValue: row.reason) {
                tally.misses[reason] = row.count
            } else if row.event == "removal", let reason = TrimReason(rawValue: row.reason) {
                tally.removals[reason] = row.count
            } else {
                throw .damaged(path: database.path, message: "the cache's tally counts \"\(row.event) \(row.reason)\"")
            }
        }
        return tally
    }
}
