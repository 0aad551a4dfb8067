-- All that is known of the parts of layers: of each file that Woodshed wrote, every edit that was ever read from it and that no later
-- one replaced, so that an older state of it takes nothing away. `version` is another one after each change. `taken_out` has the sums
-- of what a hand took out of the file. A `revision` of -1 says that a file is no part. `drawn`
-- and `chart` are what its row in `local_files` said of its marks and its chart when it was found out what it has to draw: since then,
-- another program that knows nothing of parts may have read the file, or the file came to another chart. NULL: other parts are gone.
CREATE TABLE parts (
    version INTEGER PRIMARY KEY AUTOINCREMENT,
    path TEXT NOT NULL UNIQUE,
    revision INTEGER NOT NULL,
    taken_out TEXT NOT NULL,
    drawn TEXT,
    chart TEXT
) STRICT;
CREATE INDEX local_files_by_part ON local_files (path, marks_version, attachment_id)
WHERE NOT is_away AND marks_version IS NOT NULL AND fault IS NULL;

-- `mark` is NULL for a mark that was deleted.
CREATE TABLE part_values (
    path TEXT NOT NULL,
    id TEXT NOT NULL,
    edits TEXT NOT NULL,
    mark TEXT,
    created_at INTEGER
) STRICT;
CREATE INDEX part_values_by_mark ON part_values (path, id);
