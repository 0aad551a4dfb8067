-- What tells a file of marks from a copy of it: a sum of each mark that it draws, in order, 16 digits each. And the layers that
-- the user wants to see, whatever they are copies of.

CREATE TABLE mark_sums (
    path TEXT PRIMARY KEY,
    version TEXT NOT NULL,
    sums TEXT NOT NULL
) STRICT;

CREATE TABLE shown_layers (
    attachment_id TEXT NOT NULL,
    layer_id TEXT NOT NULL,
    PRIMARY KEY (attachment_id, layer_id)
) STRICT, WITHOUT ROWID;

UPDATE local_files SET changed = 0;
