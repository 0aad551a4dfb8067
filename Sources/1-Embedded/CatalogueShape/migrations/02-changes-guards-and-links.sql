-- What guards a plan and its layers against a poll that tells less, what is told of changes, and the links that were made.
--
-- `links` remembers every path for good; `stands` says whether the link should be there. Attachments come and go
-- beneath it, so it names them freely.

CREATE TABLE left_out (
    plan_id TEXT NOT NULL REFERENCES plans (id) ON DELETE CASCADE,
    place INTEGER NOT NULL,
    attachment_id TEXT NOT NULL,
    filename TEXT NOT NULL,
    item TEXT NOT NULL,
    reason TEXT NOT NULL,
    rule TEXT NOT NULL,
    PRIMARY KEY (plan_id, place)
) STRICT, WITHOUT ROWID;

CREATE TABLE held_back (
    plan_id TEXT PRIMARY KEY REFERENCES plans (id) ON DELETE CASCADE,
    since INTEGER NOT NULL,
    told TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE gone_plans (
    plan_id TEXT PRIMARY KEY REFERENCES plans (id) ON DELETE CASCADE,
    since INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE gone_layers (
    plan_id TEXT NOT NULL,
    layer_id TEXT NOT NULL REFERENCES layers (id) ON DELETE CASCADE,
    since INTEGER NOT NULL,
    PRIMARY KEY (plan_id, layer_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX gone_layers_by_layer ON gone_layers (layer_id);

CREATE TABLE journal (
    number INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,
    change TEXT NOT NULL
) STRICT;
CREATE INDEX journal_by_time ON journal (at);

CREATE TABLE links (
    path TEXT PRIMARY KEY,
    attachment_id TEXT NOT NULL,
    target TEXT NOT NULL,
    stands INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX links_by_attachment ON links (attachment_id);
