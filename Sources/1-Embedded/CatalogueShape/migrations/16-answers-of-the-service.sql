-- What the service told last, by a digest of who asked and what for. A copy of the catalogue has the answers that made it.

CREATE TABLE answers (
    name TEXT PRIMARY KEY,
    etag TEXT NOT NULL,
    size INTEGER NOT NULL,
    told_at INTEGER NOT NULL,
    sum TEXT NOT NULL,
    body BLOB NOT NULL
) STRICT;
