-- All that is known of the parts of layers: of each file that Woodshed wrote, every edit that was ever read from it and that no later
-- one replaced, so that an older state of it takes nothing away. `version` is another one after each change. `taken_out` has the sums
-- of what a hand took out of the file. A `revision` of -1 says that a file is no part. `drawn` is what its row in `local_files` says of its marks: another program, which knows
-- nothing of parts, may have read the file since.
CREATE TABLE parts (
    version INTEGER PRIMARY KEY AUTOINCREMENT,
    path TEXT NOT NULL UNIQUE,
    revision INTEGER NOT NULL,
    taken_out TEXT NOT NULL,
    drawn TEXT
) STRICT;

-- `mark` is NULL for a mark that was deleted.
CREATE TABLE part_values (
    path TEXT NOT NULL,
    id TEXT NOT NULL,
    edits TEXT NOT NULL,
    mark TEXT,
    created_at INTEGER
) STRICT;
CREATE INDEX part_values_by_mark ON part_values (path, id);
