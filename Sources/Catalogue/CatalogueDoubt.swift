public import Model

/// Why the catalogue may be incomplete; only the next sync can tell.
public enum CatalogueDoubt: Hashable, Sendable {
    /// It is as it was at a former time; `nil` where that is not known.
    case restored(from: Timestamp?)
    /// There was nothing to go back to: a new one was begun beside so many charts.
    case begunAnew(charts: Int)
}

extension CatalogueDoubt {
    /// No clock that ran said a time before the year 2000; there it stands for none.
    package static func told(_ time: Timestamp?) -> Timestamp? { time.flatMap { $0.nanoseconds > 946_684_800_000_000_000 ? $0 : nil } }
}

extension Database {
    package var doubt: CatalogueDoubt? {
        get throws(LibraryError) {
            if let charts = try row("SELECT at FROM stamps WHERE name = 'begun anew'", [], { $0.integer(0) }) {
                return .begunAnew(charts: charts)
            }
            guard let time = try row("SELECT at FROM stamps WHERE name = 'restored'", [], { $0.time(0) }) else { return nil }
            return .restored(from: CatalogueDoubt.told(time))
        }
    }

    package func noteRestored(from time: Timestamp?) throws(LibraryError) {
        try run("DELETE FROM stamps WHERE name = 'poll'")
        try run("INSERT OR REPLACE INTO stamps (name, at) VALUES ('restored', ?)", [.time(time ?? Timestamp(nanoseconds: 0))])
        // What was found while images were drawn since is not in it.
        let knowsLooks = try row("SELECT 1 FROM pragma_table_info('charts') WHERE name = 'looked_through'") { _ in true }
        if knowsLooks == true { try run("UPDATE charts SET looked_through = 0") }
    }

    package func noteBegunAnew(charts: Int) throws(LibraryError) {
        try run("INSERT OR REPLACE INTO stamps (name, at) VALUES ('begun anew', ?)", [.integer(charts)])
    }

    /// Takes note that the service has told everything. What a backup says of a plan was not told all the time since it was made.
    package func endDoubt(at time: Timestamp) throws(LibraryError) {
        try run("UPDATE plans SET changed_at = ? WHERE EXISTS (SELECT 1 FROM stamps WHERE name = 'restored')", [.time(time)])
        try run("DELETE FROM stamps WHERE name IN ('restored', 'begun anew')")
    }
}
