-- The links within charts and their outlines, as JSON; without a row for charts that were described before these were read.
CREATE TABLE chart_places (
    hash TEXT PRIMARY KEY REFERENCES charts (hash) ON DELETE CASCADE,
    places TEXT NOT NULL
) STRICT, WITHOUT ROWID;
