-- Which marks a layer or file has, by a digest of them, and what is drawn on the pages of a chart, by digests: so that nobody
-- has to read marks to know which images are wanted.
--
-- What was stored before has no digest yet; any text that nothing else has will do. The indexes hold all that it takes to
-- tell whether something is different: a row with its marks is many pages long.

ALTER TABLE layers ADD COLUMN marks_version TEXT NOT NULL DEFAULT '';
UPDATE layers SET marks_version = lower(hex(randomblob(32)));
CREATE INDEX layers_by_version ON layers (attachment_id, id, marks_version, deleted_at);
DROP INDEX layers_by_attachment;

ALTER TABLE local_files ADD COLUMN marks_version TEXT;
UPDATE local_files SET marks_version = lower(hex(randomblob(32))) WHERE marks IS NOT NULL;
CREATE INDEX local_files_by_version ON local_files (attachment_id, path, marks_version, first_seen);
DROP INDEX local_files_by_attachment;

CREATE TABLE drawn_pages (
    attachment_id TEXT PRIMARY KEY,
    drawing TEXT NOT NULL,
    pages TEXT NOT NULL
) STRICT;
