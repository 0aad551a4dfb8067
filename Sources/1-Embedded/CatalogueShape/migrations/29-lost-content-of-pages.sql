-- What was found while pages were drawn. `accepted` is for pages that somebody looked at and plays from all the same.

CREATE TABLE lost_content (
    hash TEXT NOT NULL REFERENCES charts (hash) ON DELETE CASCADE,
    page INTEGER NOT NULL,
    reason TEXT NOT NULL,
    accepted INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (hash, page)
) STRICT, WITHOUT ROWID;
