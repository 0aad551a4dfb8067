extension Migration {
    /// With which settings the service was last asked, as JSON; at most one row.
    static let twentyEighth = Migration(
        name: "28 settings the service was asked with",
        sql: "CREATE TABLE asked_settings (id INTEGER PRIMARY KEY CHECK (id = 1), settings TEXT NOT NULL) STRICT;")
}
