public import Model

extension Library {
    /// Adds what was counted since the last time; writes nothing where that is nothing.
    public func add(_ tally: CacheTally) throws(LibraryError) {
        var counts: [(event: String, reason: String, count: Int)] = [("hit", "", tally.hits)]
        counts += tally.misses.map { ("miss", $0.key.rawValue, $0.value) }
        counts += tally.removals.map { ("removal", $0.key.rawValue, $0.value) }
        let news = counts.filter { $0.count != 0 }
        guard !news.isEmpty else { return }
        try database.write { () throws(LibraryError) in
            for (event, reason, count) in news {
                try database.run(
                    """
                    INSERT INTO cache_tally (event, reason, count) VALUES (?, ?, ?)
                    ON CONFLICT (event, reason) DO UPDATE SET count = count + excluded.count
                    """, [.text(event), .text(reason), .integer(count)])
            }
        }
    }

    /// How the cache has done since the library was made.
    public func cacheTally() throws(LibraryError) -> CacheTally {
        let rows = try database.rows("SELECT event, reason, count FROM cache_tally") { row in
            (event: row.text(0), reason: row.text(1), count: row.integer(2))
        }
        var tally = CacheTally()
        for row in rows {
            if row.event == "hit" {
                tally.hits = row.count
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
