-- The catalogue as all steps in migrations lead to it, which a test holds it to; new catalogues begin with it.
-- Times are nanoseconds since 1970; hashes are 64 hexadecimal digits.

CREATE TABLE answers (
    name TEXT PRIMARY KEY,
    etag TEXT NOT NULL,
    size INTEGER NOT NULL,
    told_at INTEGER NOT NULL,
    sum TEXT NOT NULL,
    body BLOB NOT NULL
) STRICT;

CREATE TABLE asked_settings (id INTEGER PRIMARY KEY CHECK (id = 1), settings TEXT NOT NULL) STRICT;

CREATE TABLE "attachment_charts" (
    attachment_id TEXT NOT NULL REFERENCES attachments (id),
    made_from TEXT NOT NULL,
    hash TEXT NOT NULL REFERENCES charts (hash),
    version TEXT NOT NULL,
    PRIMARY KEY (attachment_id, made_from)
) STRICT, WITHOUT ROWID;

CREATE INDEX attachment_charts_by_hash ON attachment_charts (hash);

CREATE TABLE attachments (
    id TEXT PRIMARY KEY,
    filename TEXT NOT NULL,
    content_type TEXT NOT NULL,
    file_size INTEGER NOT NULL,
    updated_at INTEGER,
    is_generated INTEGER NOT NULL,
    page_order TEXT NOT NULL DEFAULT '') STRICT, WITHOUT ROWID;

CREATE TABLE cache_tally (
    event TEXT NOT NULL,
    reason TEXT NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (event, reason)
) STRICT, WITHOUT ROWID;

CREATE TABLE chart_pages (
    hash TEXT NOT NULL REFERENCES charts (hash) ON DELETE CASCADE,
    page INTEGER NOT NULL,
    width REAL NOT NULL,
    height REAL NOT NULL,
    PRIMARY KEY (hash, page)
) STRICT, WITHOUT ROWID;

CREATE TABLE charts (
    hash TEXT PRIMARY KEY,
    size INTEGER NOT NULL,
    described_by TEXT,
    unreadable_by TEXT,
    unreadable_because TEXT
, fonts_not_embedded TEXT, has_images INTEGER NOT NULL DEFAULT 0, read_stamp TEXT, read_whole INTEGER, looked_through INTEGER NOT NULL DEFAULT 0) STRICT, WITHOUT ROWID;

CREATE TABLE download_faults (
    attachment_id TEXT NOT NULL REFERENCES attachments (id) ON DELETE CASCADE,
    made_from TEXT NOT NULL,
    version TEXT NOT NULL,
    reason TEXT NOT NULL, since INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (attachment_id, made_from)
) STRICT, WITHOUT ROWID;

CREATE TABLE drawn_pages (
    attachment_id TEXT PRIMARY KEY,
    drawing TEXT NOT NULL,
    pages TEXT NOT NULL
) STRICT;

CREATE TABLE failing_polls (id INTEGER PRIMARY KEY CHECK (id = 1), since INTEGER NOT NULL, reason TEXT NOT NULL) STRICT;

CREATE TABLE former_charts (
    attachment_id TEXT NOT NULL,
    hash TEXT NOT NULL,
    noticed_at INTEGER,
    PRIMARY KEY (attachment_id, hash)
) STRICT, WITHOUT ROWID;

CREATE TABLE former_files (
    path TEXT PRIMARY KEY,
    first_seen INTEGER NOT NULL,
    attachment_id TEXT,
    noticed_at INTEGER
, marked_on TEXT, accepted_on TEXT, device INTEGER, inode INTEGER, size INTEGER, marks_sum TEXT, said_pdf TEXT) STRICT, WITHOUT ROWID;

CREATE INDEX former_files_by_marks ON former_files (marks_sum);

CREATE TABLE former_marks (
    number INTEGER PRIMARY KEY,
    path TEXT NOT NULL,
    attachment_id TEXT,
    marked_on TEXT,
    vanished_at INTEGER NOT NULL,
    marks TEXT NOT NULL,
    sheets TEXT,
    sums TEXT NOT NULL,
    count INTEGER NOT NULL,
    vanished INTEGER NOT NULL,
    accepted INTEGER NOT NULL DEFAULT 0
, noticed_at INTEGER) STRICT;

CREATE INDEX former_marks_by_chart ON former_marks (attachment_id);

CREATE INDEX former_marks_by_path ON former_marks (path);

CREATE TABLE gone_layers (
    plan_id TEXT NOT NULL,
    layer_id TEXT NOT NULL REFERENCES layers (id) ON DELETE CASCADE,
    since INTEGER NOT NULL,
    PRIMARY KEY (plan_id, layer_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX gone_layers_by_layer ON gone_layers (layer_id);

CREATE TABLE gone_plans (
    plan_id TEXT PRIMARY KEY REFERENCES plans (id) ON DELETE CASCADE,
    since INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE held_back (
    plan_id TEXT PRIMARY KEY REFERENCES plans (id) ON DELETE CASCADE,
    since INTEGER NOT NULL,
    told TEXT NOT NULL
, reason TEXT) STRICT, WITHOUT ROWID;

CREATE TABLE hidden_layers (
    attachment_id TEXT NOT NULL,
    layer_id TEXT NOT NULL,
    PRIMARY KEY (attachment_id, layer_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE image_records (
    chart TEXT NOT NULL,
    page INTEGER NOT NULL,
    variant TEXT NOT NULL,
    key TEXT NOT NULL,
    renderer TEXT NOT NULL,
    fate TEXT NOT NULL,
    size INTEGER NOT NULL,
    at INTEGER NOT NULL, origin TEXT,
    PRIMARY KEY (chart, page, variant)
) STRICT, WITHOUT ROWID;

CREATE TABLE item_attachments (
    plan_id TEXT NOT NULL,
    item_place INTEGER NOT NULL,
    place INTEGER NOT NULL,
    attachment_id TEXT NOT NULL REFERENCES attachments (id), made_from TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (plan_id, item_place, place),
    FOREIGN KEY (plan_id, item_place) REFERENCES items (plan_id, place) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE INDEX item_attachments_by_attachment ON item_attachments (attachment_id);

CREATE TABLE items (
    plan_id TEXT NOT NULL REFERENCES plans (id) ON DELETE CASCADE,
    place INTEGER NOT NULL,
    id TEXT NOT NULL,
    sequence INTEGER NOT NULL,
    title TEXT NOT NULL,
    key_name TEXT NOT NULL, kind TEXT, arrangement TEXT, length INTEGER, description TEXT,
    PRIMARY KEY (plan_id, place)
) STRICT, WITHOUT ROWID;

CREATE TABLE journal (
    number INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,
    change TEXT NOT NULL
, noticed_at INTEGER) STRICT;

CREATE INDEX journal_by_notice ON journal (noticed_at);

CREATE INDEX journal_by_time ON journal (at);

CREATE TABLE layer_doubts (
    layer_id TEXT PRIMARY KEY,
    attachment_id TEXT NOT NULL,
    name TEXT NOT NULL,
    person_name TEXT NOT NULL,
    since INTEGER NOT NULL,
    reason TEXT NOT NULL,
    told TEXT NOT NULL,
    is_partial INTEGER NOT NULL
, accepted INTEGER NOT NULL DEFAULT 0) STRICT, WITHOUT ROWID;

CREATE TABLE layer_plans (
    plan_id TEXT NOT NULL,
    layer_id TEXT NOT NULL REFERENCES layers (id) ON DELETE CASCADE,
    PRIMARY KEY (plan_id, layer_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX layer_plans_by_layer ON layer_plans (layer_id);

CREATE TABLE layers (
    id TEXT PRIMARY KEY,
    attachment_id TEXT NOT NULL,
    person_name TEXT NOT NULL,
    name TEXT NOT NULL,
    revision INTEGER NOT NULL,
    updated_at INTEGER,
    deleted_at INTEGER,
    marks TEXT NOT NULL
, marked_on TEXT, accepted_on TEXT, marks_version TEXT NOT NULL DEFAULT '', last_page INTEGER) STRICT;

CREATE INDEX layers_by_last_page ON layers (attachment_id, id, last_page, deleted_at);

CREATE INDEX layers_by_version ON layers (attachment_id, id, marks_version, deleted_at);

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

CREATE TABLE let_go_charts (
    hash TEXT PRIMARY KEY,
    device INTEGER NOT NULL,
    inode INTEGER NOT NULL,
    size INTEGER NOT NULL,
    modified INTEGER NOT NULL
, changed INTEGER NOT NULL DEFAULT 0) STRICT, WITHOUT ROWID;

CREATE TABLE links (
    path TEXT PRIMARY KEY,
    attachment_id TEXT NOT NULL,
    target TEXT NOT NULL,
    stands INTEGER NOT NULL
, marked_at INTEGER) STRICT, WITHOUT ROWID;

CREATE INDEX links_by_attachment ON links (attachment_id);

CREATE TABLE local_files (
    path TEXT PRIMARY KEY,
    device INTEGER NOT NULL,
    inode INTEGER NOT NULL,
    size INTEGER NOT NULL,
    modified INTEGER NOT NULL,
    first_seen INTEGER NOT NULL,
    attachment_id TEXT,
    marked_on TEXT,
    accepted_on TEXT,
    name TEXT,
    said_attachment TEXT,
    said_chart TEXT,
    said_pdf TEXT,
    other_pages INTEGER,
    notes TEXT,
    marks TEXT,
    fault TEXT
, marks_version TEXT, last_page INTEGER, changed INTEGER NOT NULL DEFAULT 0, sheets TEXT, is_away INTEGER NOT NULL DEFAULT 0, saved_in INTEGER NOT NULL DEFAULT 0, saved_at INTEGER NOT NULL DEFAULT 0, went_back INTEGER NOT NULL DEFAULT 0) STRICT;

CREATE INDEX local_files_away ON local_files (path) WHERE is_away;

CREATE INDEX local_files_by_drawing ON local_files (attachment_id, path, marks_version, first_seen, sheets);

CREATE INDEX local_files_by_inode ON local_files (inode);

CREATE INDEX local_files_by_last_page ON local_files (attachment_id, path, last_page);

CREATE INDEX local_files_by_marks ON local_files (marks_version);

CREATE INDEX local_files_gone_back ON local_files (path) WHERE went_back;

CREATE TABLE lost_charts (
    plan_id TEXT NOT NULL REFERENCES plans (id) ON DELETE CASCADE,
    attachment_id TEXT NOT NULL,
    filename TEXT NOT NULL,
    since INTEGER NOT NULL,
    counts INTEGER NOT NULL, noticed_at INTEGER,
    PRIMARY KEY (plan_id, attachment_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX lost_charts_by_attachment ON lost_charts (attachment_id);

CREATE TABLE lost_content (
    hash TEXT NOT NULL REFERENCES charts (hash) ON DELETE CASCADE,
    page INTEGER NOT NULL,
    reason TEXT NOT NULL,
    accepted INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (hash, page)
) STRICT, WITHOUT ROWID;

CREATE TABLE mark_sums (
    path TEXT PRIMARY KEY,
    version TEXT NOT NULL,
    sums TEXT NOT NULL
) STRICT;

CREATE TABLE marks_left_behind (
    plan_id TEXT NOT NULL REFERENCES plans (id) ON DELETE CASCADE,
    attachment_id TEXT NOT NULL,
    PRIMARY KEY (plan_id, attachment_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE meant_choices (
    plan_id TEXT PRIMARY KEY REFERENCES plans (id) ON DELETE CASCADE,
    rules TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE migrations (name TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;

CREATE TABLE page_comparisons (
    former TEXT NOT NULL,
    chart TEXT NOT NULL,
    page INTEGER NOT NULL,
    differs INTEGER NOT NULL,
    PRIMARY KEY (former, chart, page)
) STRICT, WITHOUT ROWID;

CREATE TABLE past_plans (
    plan_id TEXT PRIMARY KEY REFERENCES plans (id) ON DELETE CASCADE,
    since INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE pins (
    plan_id TEXT PRIMARY KEY REFERENCES plans (id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE plans (
    id TEXT PRIMARY KEY,
    service_type TEXT NOT NULL,
    service_type_name TEXT NOT NULL,
    title TEXT NOT NULL,
    dates TEXT NOT NULL,
    first_time INTEGER,
    last_time INTEGER,
    changed_at INTEGER NOT NULL
, service_time INTEGER, choice TEXT) STRICT, WITHOUT ROWID;

CREATE TABLE refused_versions (
    attachment_id TEXT NOT NULL REFERENCES attachments (id) ON DELETE CASCADE,
    made_from TEXT NOT NULL,
    version TEXT NOT NULL,
    accepted INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (attachment_id, made_from)
) STRICT, WITHOUT ROWID;

CREATE TABLE render_faults (
    hash TEXT NOT NULL REFERENCES charts (hash) ON DELETE CASCADE,
    image TEXT NOT NULL,
    renderer TEXT NOT NULL,
    reason TEXT NOT NULL,
    tries INTEGER NOT NULL,
    is_final INTEGER NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (hash, image)
) STRICT, WITHOUT ROWID;

CREATE TABLE seen_plans (
    plan_id TEXT PRIMARY KEY REFERENCES plans (id) ON DELETE CASCADE,
    journal_number INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE service_account (id INTEGER PRIMARY KEY CHECK (id = 1), account TEXT NOT NULL, other TEXT) STRICT;

CREATE TABLE shown_layers (
    attachment_id TEXT NOT NULL,
    layer_id TEXT NOT NULL,
    PRIMARY KEY (attachment_id, layer_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE stamps (
    name TEXT PRIMARY KEY,
    at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE told_plans (
    plan_id TEXT PRIMARY KEY REFERENCES plans (id) ON DELETE CASCADE,
    journal_number INTEGER,
    unready INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

CREATE TABLE unread_plans (
    plan_id TEXT PRIMARY KEY,
    plan TEXT NOT NULL,
    since INTEGER NOT NULL,
    reason TEXT
) STRICT, WITHOUT ROWID;

CREATE TABLE untold_marks (
    plan_id TEXT PRIMARY KEY REFERENCES plans (id) ON DELETE CASCADE,
    since INTEGER NOT NULL,
    reason TEXT NOT NULL
) STRICT, WITHOUT ROWID;
