-- Times are nanoseconds since 1970; hashes are 64 hexadecimal digits.
--
-- Items are numbered by their place, not by their id, so that a service that tells one twice breaks nothing.
-- Layers name their attachment and plan freely: marks may come before, or without, what they are for.

CREATE TABLE plans (
    id TEXT PRIMARY KEY,
    service_type TEXT NOT NULL,
    service_type_name TEXT NOT NULL,
    title TEXT NOT NULL,
    dates TEXT NOT NULL,
    first_time INTEGER,
    last_time INTEGER,
    changed_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE items (
    plan_id TEXT NOT NULL REFERENCES plans (id) ON DELETE CASCADE,
    place INTEGER NOT NULL,
    id TEXT NOT NULL,
    sequence INTEGER NOT NULL,
    title TEXT NOT NULL,
    key_name TEXT NOT NULL,
    PRIMARY KEY (plan_id, place)
) STRICT, WITHOUT ROWID;

CREATE TABLE attachments (
    id TEXT PRIMARY KEY,
    filename TEXT NOT NULL,
    content_type TEXT NOT NULL,
    file_size INTEGER NOT NULL,
    updated_at INTEGER,
    is_generated INTEGER NOT NULL,
    generated_from TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE item_attachments (
    plan_id TEXT NOT NULL,
    item_place INTEGER NOT NULL,
    place INTEGER NOT NULL,
    attachment_id TEXT NOT NULL REFERENCES attachments (id),
    PRIMARY KEY (plan_id, item_place, place),
    FOREIGN KEY (plan_id, item_place) REFERENCES items (plan_id, place) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX item_attachments_by_attachment ON item_attachments (attachment_id);

CREATE TABLE charts (
    hash TEXT PRIMARY KEY,
    size INTEGER NOT NULL,
    described_by TEXT,
    unreadable_by TEXT,
    unreadable_because TEXT
) STRICT, WITHOUT ROWID;

CREATE TABLE chart_pages (
    hash TEXT NOT NULL REFERENCES charts (hash) ON DELETE CASCADE,
    page INTEGER NOT NULL,
    width REAL NOT NULL,
    height REAL NOT NULL,
    PRIMARY KEY (hash, page)
) STRICT, WITHOUT ROWID;

CREATE TABLE attachment_charts (
    attachment_id TEXT PRIMARY KEY REFERENCES attachments (id),
    hash TEXT NOT NULL REFERENCES charts (hash),
    version TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX attachment_charts_by_hash ON attachment_charts (hash);

CREATE TABLE layers (
    id TEXT PRIMARY KEY,
    attachment_id TEXT NOT NULL,
    person_name TEXT NOT NULL,
    name TEXT NOT NULL,
    revision INTEGER NOT NULL,
    updated_at INTEGER,
    deleted_at INTEGER,
    marks TEXT NOT NULL
) STRICT;
CREATE INDEX layers_by_attachment ON layers (attachment_id);

CREATE TABLE layer_plans (
    plan_id TEXT NOT NULL,
    layer_id TEXT NOT NULL REFERENCES layers (id) ON DELETE CASCADE,
    PRIMARY KEY (plan_id, layer_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX layer_plans_by_layer ON layer_plans (layer_id);

CREATE TABLE stamps (
    name TEXT PRIMARY KEY,
    at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
