-- The key that the chords of a chart stand in, as it is printed, of those that are drawn here: some marks are for one key alone. Empty if
-- nobody says in which.
CREATE TABLE chart_keys (
    hash TEXT PRIMARY KEY,
    key TEXT NOT NULL
) STRICT, WITHOUT ROWID;
