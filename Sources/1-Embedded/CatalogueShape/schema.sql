-- The catalogue's first shape, and until the first release its only one: a later change is a step of its own, in a file of its own.
-- Times are nanoseconds since 1970; hashes are 64 hexadecimal digits. Tables come in the order of their names.

-- The service's last answers, by a digest of who asked and what for. A copy of the catalogue has the answers that made it.
CREATE TABLE answers (
    name TEXT PRIMARY KEY,
    etag TEXT NOT NULL,
    size INTEGER NOT NULL,
    told_at INTEGER NOT NULL,
    sum TEXT NOT NULL,
    body BLOB NOT NULL
) STRICT;

-- The settings with which the service was last asked, as JSON.
CREATE TABLE asked_settings (id INTEGER PRIMARY KEY CHECK (id = 1), settings TEXT NOT NULL) STRICT;

-- What a chart is made from belongs to where it is shown: one song in two keys has two charts.
CREATE TABLE attachment_charts (
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
    page_order TEXT NOT NULL DEFAULT ''
) STRICT, WITHOUT ROWID;

-- How the cache has done so far.
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

-- `fonts_not_embedded` is a JSON list, NULL where there were too many pages to look at. `read_stamp` is the file that was last
-- read through, `read_whole` whether it held what was downloaded. `looked_through` says whether it is known what the chart's
-- pages lost in drawing; it is not where images are older than the catalogue.
CREATE TABLE charts (
    hash TEXT PRIMARY KEY,
    size INTEGER NOT NULL,
    described_by TEXT,
    unreadable_by TEXT,
    unreadable_because TEXT,
    fonts_not_embedded TEXT,
    has_images INTEGER NOT NULL DEFAULT 0,
    read_stamp TEXT,
    read_whole INTEGER,
    looked_through INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

-- Why charts did not come when they were last asked for, in which version, and since when.
CREATE TABLE download_faults (
    attachment_id TEXT NOT NULL REFERENCES attachments (id) ON DELETE CASCADE,
    made_from TEXT NOT NULL,
    version TEXT NOT NULL,
    reason TEXT NOT NULL,
    since INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (attachment_id, made_from)
) STRICT, WITHOUT ROWID;

-- What is drawn on the pages of a chart, by digests, so that no marks have to be read to know which images are wanted.
CREATE TABLE drawn_pages (
    attachment_id TEXT PRIMARY KEY,
    drawing TEXT NOT NULL,
    pages TEXT NOT NULL
) STRICT;

-- Since when polls have not been answered in full, and what the last of them met; no row while they are.
CREATE TABLE failing_polls (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    since INTEGER NOT NULL,
    reason TEXT NOT NULL
) STRICT;

-- The charts that an attachment had before: marks may have been made on them. `noticed_at` is since when a poll that was sure
-- of the time has known what goes for its age; a wrong clock may have dated it to any year.
CREATE TABLE former_charts (
    attachment_id TEXT NOT NULL,
    hash TEXT NOT NULL,
    noticed_at INTEGER,
    PRIMARY KEY (attachment_id, hash)
) STRICT, WITHOUT ROWID;

-- Files of marks that are gone: one that comes back, or turns up under another name, has all that was known of it. `marks_sum`
-- is the SHA-256 of its marks, NULL if it had none.
CREATE TABLE former_files (
    path TEXT PRIMARY KEY,
    first_seen INTEGER NOT NULL,
    attachment_id TEXT,
    noticed_at INTEGER,
    marked_on TEXT,
    accepted_on TEXT,
    device INTEGER,
    inode INTEGER,
    size INTEGER,
    marks_sum TEXT,
    said_pdf TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX former_files_by_marks ON former_files (marks_sum);

-- Former states of the user's mark files with marks that were in none of the chart's files afterwards. `vanished` is how many
-- of the `count` marks drawn those were; `accepted` ends the note about it.
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
    accepted INTEGER NOT NULL DEFAULT 0,
    noticed_at INTEGER
) STRICT;
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

-- Plans whose newest contents were not taken over.
CREATE TABLE held_back (
    plan_id TEXT PRIMARY KEY REFERENCES plans (id) ON DELETE CASCADE,
    since INTEGER NOT NULL,
    told TEXT NOT NULL,
    reason TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE hidden_layers (
    attachment_id TEXT NOT NULL,
    layer_id TEXT NOT NULL,
    PRIMARY KEY (attachment_id, layer_id)
) STRICT, WITHOUT ROWID;

-- What happened last to each page's image. `chart` is the chart's short digest, as images' names have it: 32 of the hash's 64
-- digits. `format` is JSON, NULL if it is not known.
CREATE TABLE image_records (
    chart TEXT NOT NULL,
    page INTEGER NOT NULL,
    variant TEXT NOT NULL,
    key TEXT NOT NULL,
    renderer TEXT NOT NULL,
    event TEXT NOT NULL,
    size INTEGER NOT NULL,
    at INTEGER NOT NULL,
    format TEXT,
    PRIMARY KEY (chart, page, variant)
) STRICT, WITHOUT ROWID;

CREATE TABLE item_attachments (
    plan_id TEXT NOT NULL,
    item_place INTEGER NOT NULL,
    place INTEGER NOT NULL,
    attachment_id TEXT NOT NULL REFERENCES attachments (id),
    made_from TEXT NOT NULL DEFAULT '',
    FOREIGN KEY (plan_id, item_place) REFERENCES items (plan_id, place) ON DELETE CASCADE,
    PRIMARY KEY (plan_id, item_place, place)
) STRICT, WITHOUT ROWID;
CREATE INDEX item_attachments_by_attachment ON item_attachments (attachment_id);

-- Items are numbered by their place, not by their id, so that a service that sends one twice breaks nothing.
CREATE TABLE items (
    plan_id TEXT NOT NULL REFERENCES plans (id) ON DELETE CASCADE,
    place INTEGER NOT NULL,
    id TEXT NOT NULL,
    sequence INTEGER NOT NULL,
    title TEXT NOT NULL,
    key_name TEXT NOT NULL,
    kind TEXT,
    arrangement TEXT,
    tempo INTEGER,
    length INTEGER,
    description TEXT,
    PRIMARY KEY (plan_id, place)
) STRICT, WITHOUT ROWID;

CREATE TABLE journal (
    number INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,
    change TEXT NOT NULL,
    noticed_at INTEGER
) STRICT;
CREATE INDEX journal_by_notice ON journal (noticed_at);
CREATE INDEX journal_by_time ON journal (at);

-- Layers of which the newest version was not taken over, or only in part; not all of them are among the layers. `accepted` is
-- for marks that a person accepted though the service had newer ones before.
CREATE TABLE layer_doubts (
    layer_id TEXT PRIMARY KEY,
    attachment_id TEXT NOT NULL,
    name TEXT NOT NULL,
    person_name TEXT NOT NULL,
    since INTEGER NOT NULL,
    reason TEXT NOT NULL,
    told TEXT NOT NULL,
    is_partial INTEGER NOT NULL,
    accepted INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

CREATE TABLE layer_plans (
    plan_id TEXT NOT NULL,
    layer_id TEXT NOT NULL REFERENCES layers (id) ON DELETE CASCADE,
    PRIMARY KEY (plan_id, layer_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX layer_plans_by_layer ON layer_plans (layer_id);

-- Layers name their attachment freely: marks may come before, or without, what they are for. `marked_on` is NULL for marks on
-- the chart that the attachment has; it is written down when that is replaced. `accepted_on` is the chart on which the user
-- last found them right. `marks_version` is a digest of the marks. The indexes hold all that it takes to find what is drawn and
-- how far: a row with its marks is many pages long.
CREATE TABLE layers (
    id TEXT PRIMARY KEY,
    attachment_id TEXT NOT NULL,
    person_name TEXT NOT NULL,
    name TEXT NOT NULL,
    revision INTEGER NOT NULL,
    updated_at INTEGER,
    deleted_at INTEGER,
    marks TEXT NOT NULL,
    marked_on TEXT,
    accepted_on TEXT,
    marks_version TEXT NOT NULL DEFAULT '',
    last_page INTEGER
) STRICT;
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

-- Charts that this catalogue has forgotten and whose files are still to go, each with the file that it was: one that came since
-- under the same name is another, and stays.
CREATE TABLE let_go_charts (
    hash TEXT PRIMARY KEY,
    device INTEGER NOT NULL,
    inode INTEGER NOT NULL,
    size INTEGER NOT NULL,
    modified INTEGER NOT NULL,
    changed INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

-- `links` remembers every path for good; `stands` says whether the link should be there. Attachments come and go beneath it, so
-- it names them freely. `marked_at` is when a file of the user's was last seen beside the link: a disk that is away must not
-- look like marks that are gone.
CREATE TABLE links (
    path TEXT PRIMARY KEY,
    attachment_id TEXT NOT NULL,
    target TEXT NOT NULL,
    stands INTEGER NOT NULL,
    marked_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX links_by_attachment ON links (attachment_id);

-- The user's own files of marks. All from `name` to `fault` is NULL together with `marks` for a file that was never understood.
-- `changed` is when anything about the file was last changed, which no program can set. `sheets` is what the pages measure that
-- the marks were made on. `is_away` is for files that went with all others of their folder, as on a disk that is pulled out;
-- `went_back` for those that went back to an older state, while the newer one is what is known. `saved_in` is the look that
-- found the last save, `saved_at` the file's time if that was not in the future.
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
    fault TEXT,
    marks_version TEXT,
    last_page INTEGER,
    changed INTEGER NOT NULL DEFAULT 0,
    sheets TEXT,
    is_away INTEGER NOT NULL DEFAULT 0,
    saved_in INTEGER NOT NULL DEFAULT 0,
    saved_at INTEGER NOT NULL DEFAULT 0,
    went_back INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX local_files_away ON local_files (path) WHERE is_away;
CREATE INDEX local_files_by_drawing ON local_files (attachment_id, path, marks_version, first_seen, sheets);
CREATE INDEX local_files_by_inode ON local_files (inode);
CREATE INDEX local_files_by_last_page ON local_files (attachment_id, path, last_page);
CREATE INDEX local_files_by_marks ON local_files (marks_version);
CREATE INDEX local_files_gone_back ON local_files (path) WHERE went_back;

-- The charts that plans do not show any more, by which a plan that goes on shrinking is measured.
CREATE TABLE lost_charts (
    plan_id TEXT NOT NULL REFERENCES plans (id) ON DELETE CASCADE,
    attachment_id TEXT NOT NULL,
    filename TEXT NOT NULL,
    since INTEGER NOT NULL,
    counts INTEGER NOT NULL,
    noticed_at INTEGER,
    PRIMARY KEY (plan_id, attachment_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX lost_charts_by_attachment ON lost_charts (attachment_id);

-- What was found missing while pages were drawn. `accepted` is for pages that a person looked at and plays from all the same.
CREATE TABLE lost_content (
    hash TEXT NOT NULL REFERENCES charts (hash) ON DELETE CASCADE,
    page INTEGER NOT NULL,
    reason TEXT NOT NULL,
    accepted INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (hash, page)
) STRICT, WITHOUT ROWID;

-- What distinguishes a file of marks from a copy of it: a sum of each mark that it draws, in order, 16 digits each.
CREATE TABLE mark_sums (path TEXT PRIMARY KEY, version TEXT NOT NULL, sums TEXT NOT NULL) STRICT;

-- Charts that a plan showed for a song and does not any more, though it still has the song: their marks may be missed there.
CREATE TABLE marks_left_behind (
    plan_id TEXT NOT NULL REFERENCES plans (id) ON DELETE CASCADE,
    attachment_id TEXT NOT NULL,
    PRIMARY KEY (plan_id, attachment_id)
) STRICT, WITHOUT ROWID;

-- The rules of the configuration by which a plan may be without charts, since a person said so.
CREATE TABLE meant_choices (
    plan_id TEXT PRIMARY KEY REFERENCES plans (id) ON DELETE CASCADE,
    rules TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Whether a page of a chart differs from the same page of a former one, so that it is found out only once.
CREATE TABLE page_comparisons (
    former TEXT NOT NULL,
    chart TEXT NOT NULL,
    page INTEGER NOT NULL,
    differs INTEGER NOT NULL,
    PRIMARY KEY (former, chart, page)
) STRICT, WITHOUT ROWID;

-- Since when polls that could be trusted have seen a plan to be past.
CREATE TABLE past_plans (
    plan_id TEXT PRIMARY KEY REFERENCES plans (id) ON DELETE CASCADE,
    since INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The plans that are kept whatever their date.
CREATE TABLE pins (
    plan_id TEXT PRIMARY KEY REFERENCES plans (id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

-- `choice` is the choice of charts that the plan's contents were made with; the next poll sets it.
CREATE TABLE plans (
    id TEXT PRIMARY KEY,
    service_type TEXT NOT NULL,
    service_type_name TEXT NOT NULL,
    title TEXT NOT NULL,
    dates TEXT NOT NULL,
    first_time INTEGER,
    last_time INTEGER,
    changed_at INTEGER NOT NULL,
    service_time INTEGER,
    choice TEXT
) STRICT, WITHOUT ROWID;

-- New versions of charts that did not take a good one's place, and whether a person wants them all the same.
CREATE TABLE refused_versions (
    attachment_id TEXT NOT NULL REFERENCES attachments (id) ON DELETE CASCADE,
    made_from TEXT NOT NULL,
    version TEXT NOT NULL,
    accepted INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (attachment_id, made_from)
) STRICT, WITHOUT ROWID;

-- `image` is a file's name in the cache, or empty for the chart as a whole.
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

-- How far the journal was read, plan by plan.
CREATE TABLE seen_plans (
    plan_id TEXT PRIMARY KEY REFERENCES plans (id) ON DELETE CASCADE,
    journal_number INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Whose plans are here, and another account that the service names by now, both as JSON.
CREATE TABLE service_account (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    account TEXT NOT NULL,
    other TEXT
) STRICT;

-- The layers that the user wants to see, whatever they are copies of.
CREATE TABLE shown_layers (
    attachment_id TEXT NOT NULL,
    layer_id TEXT NOT NULL,
    PRIMARY KEY (attachment_id, layer_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE stamps (name TEXT PRIMARY KEY, at INTEGER NOT NULL) STRICT, WITHOUT ROWID;

-- Up to which entry of the journal the desktop was told what changed in a plan, once all of its charts had been here; and
-- whether it was told that the plan is not ready.
CREATE TABLE told_plans (
    plan_id TEXT PRIMARY KEY REFERENCES plans (id) ON DELETE CASCADE,
    journal_number INTEGER,
    unready INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

-- Plans that the service lists while their contents could not be read: the next plan may be among them. A plan is kept as JSON.
CREATE TABLE unread_plans (
    plan_id TEXT PRIMARY KEY,
    plan TEXT NOT NULL,
    since INTEGER NOT NULL,
    reason TEXT
) STRICT, WITHOUT ROWID;

-- Plans of which the service sends no marks.
CREATE TABLE untold_marks (
    plan_id TEXT PRIMARY KEY REFERENCES plans (id) ON DELETE CASCADE,
    since INTEGER NOT NULL,
    reason TEXT NOT NULL
) STRICT, WITHOUT ROWID;
