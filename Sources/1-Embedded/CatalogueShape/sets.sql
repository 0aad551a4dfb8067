-- The sets in the musician's own folders: which plan each folder or list is, so that a set that is renamed stays the same plan.
CREATE TABLE sets (
    path TEXT PRIMARY KEY,
    plan_id TEXT NOT NULL,
    inode INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The charts' files there as they were last read, so that unchanged files are not read again.
CREATE TABLE set_files (
    path TEXT PRIMARY KEY,
    device INTEGER NOT NULL,
    inode INTEGER NOT NULL,
    size INTEGER NOT NULL,
    modified INTEGER NOT NULL,
    changed INTEGER NOT NULL,
    hash TEXT NOT NULL
) STRICT, WITHOUT ROWID;
