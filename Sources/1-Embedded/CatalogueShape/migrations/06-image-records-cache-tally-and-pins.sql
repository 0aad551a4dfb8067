-- What became of each page's image, how the cache has done, and the plans that are kept whatever their date.
--
-- `chart` is the chart's short digest, as names of images have it: 32 of the hash's 64 digits.

CREATE TABLE image_records (
    chart TEXT NOT NULL,
    page INTEGER NOT NULL,
    variant TEXT NOT NULL,
    key TEXT NOT NULL,
    renderer TEXT NOT NULL,
    fate TEXT NOT NULL,
    size INTEGER NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (chart, page, variant)
) STRICT, WITHOUT ROWID;

CREATE TABLE cache_tally (
    event TEXT NOT NULL,
    reason TEXT NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (event, reason)
) STRICT, WITHOUT ROWID;

CREATE TABLE pins (
    plan_id TEXT PRIMARY KEY REFERENCES plans (id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
