-- What a chart is made from belongs to where it is shown: one song in two keys has two charts.

ALTER TABLE item_attachments ADD COLUMN made_from TEXT NOT NULL DEFAULT '';
UPDATE item_attachments SET made_from = (SELECT generated_from FROM attachments WHERE id = attachment_id);

CREATE TABLE charts_by_use (
    attachment_id TEXT NOT NULL REFERENCES attachments (id),
    made_from TEXT NOT NULL,
    hash TEXT NOT NULL REFERENCES charts (hash),
    version TEXT NOT NULL,
    PRIMARY KEY (attachment_id, made_from)
) STRICT, WITHOUT ROWID;
INSERT INTO charts_by_use
    SELECT attachment_id, generated_from, hash, version FROM attachment_charts JOIN attachments ON id = attachment_id;
DROP TABLE attachment_charts;
ALTER TABLE charts_by_use RENAME TO attachment_charts;
CREATE INDEX attachment_charts_by_hash ON attachment_charts (hash);

ALTER TABLE attachments DROP COLUMN generated_from;
