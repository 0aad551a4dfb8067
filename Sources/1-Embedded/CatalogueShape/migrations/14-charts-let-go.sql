-- Charts that this catalogue has forgotten and whose files are still to go, each with the file that it was: one that came
-- since under the same name is another, and stays.

CREATE TABLE let_go_charts (
    hash TEXT PRIMARY KEY,
    device INTEGER NOT NULL,
    inode INTEGER NOT NULL,
    size INTEGER NOT NULL,
    modified INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
