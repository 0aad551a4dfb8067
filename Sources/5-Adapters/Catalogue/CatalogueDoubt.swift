public import Model

/// Why the catalogue may be incomplete; only the next sync can tell.
public enum CatalogueDoubt: Hashable, Sendable {
    /// It is as it was at an earlier time; `nil` if that time is not known.
    case restored(from: Timestamp?)
    /// There was nothing to go back to: a new one was begun next to this many charts.
    case begunAnew(charts: Int)
}

extension CatalogueDoubt {
    /// No clock that worked showed a time before the year 2000; such a time stands for an unknown one.
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
        try write { () throws(LibraryError) in
            try letNothingGo()
            try run("DELETE FROM stamps WHERE name = 'poll'")
            try run("INSERT OR REPLACE INTO stamps (name, at) VALUES ('restored', ?)", [.time(time ?? Timestamp(nanoseconds: 0))])
            // It lacks whatever was found since then while images were drawn.
            let knowsLooks = try row("SELECT 1 FROM pragma_table_info('charts') WHERE name = 'looked_through'") { _ in true }
            if knowsLooks == true { try run("UPDATE charts SET looked_through = 0") }
            // What changed since then comes with the next poll, but was told when it happened.
            let knowsTold = try row("SELECT 1 FROM sqlite_schema WHERE name = 'told_plans'") { _ in true }
            if knowsTold == true { try run("UPDATE told_plans SET journal_number = NULL") }
        }
    }

    /// Cancels the removal of every chart that the catalogue let go of: it may have been wanted again at a time of which this catalogue
    /// knows nothing.
    package func letNothingGo() throws(LibraryError) {
        let knowsRemovals = try row("SELECT 1 FROM sqlite_schema WHERE name = 'let_go_charts'") { _ in true }
        if knowsRemovals == true { try run("DELETE FROM let_go_charts") }
    }

    package func noteBegunAnew(charts: Int) throws(LibraryError) {
        try letNothingGo()
        try run("INSERT OR REPLACE INTO stamps (name, at) VALUES ('begun anew', ?)", [.integer(charts)])
    }

    /// Notes that the service has sent everything. A plan in a backup may have changed since the backup was made, so its time of
    /// change starts again.
    package func endDoubt(at time: Timestamp) throws(LibraryError) {
        try run("UPDATE plans SET changed_at = ? WHERE EXISTS (SELECT 1 FROM stamps WHERE name = 'restored')", [.time(time)])
        try run("DELETE FROM stamps WHERE name IN ('restored', 'begun anew')")
    }
}
