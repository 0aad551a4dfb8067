-- What a chart's looks depend on, and what could not be rendered.
--
-- Charts described by now are described again: nobody asked for their fonts. `fonts_not_embedded` is a JSON list, NULL
-- where there were too many pages to look at. `image` is a file's name in the cache, or nothing for the chart as a whole.

ALTER TABLE charts ADD COLUMN fonts_not_embedded TEXT;
ALTER TABLE charts ADD COLUMN has_images INTEGER NOT NULL DEFAULT 0;
UPDATE charts SET described_by = NULL;

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
