-- The key that the chords of a chart stand in, as it is printed, of those that are drawn here: some marks are for one key alone.
CREATE TABLE chart_keys (
    hash TEXT PRIMARY KEY,
    key TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Of those that are here already, nobody knows it: they are drawn once more, and are the same.
UPDATE attachment_charts SET version = '' WHERE hash IN (SELECT hash FROM song_charts);
