-- The last page that a layer or a file has marks on; NULL without any. The index has all that it takes to find those beyond
-- a chart's last page: rows of marks are long.

ALTER TABLE layers ADD COLUMN last_page INTEGER;
UPDATE layers SET last_page = (SELECT max(json_extract(value, '$.page')) FROM json_each(marks)) WHERE json_valid(marks);
CREATE INDEX layers_by_last_page ON layers (attachment_id, id, last_page, deleted_at);

ALTER TABLE local_files ADD COLUMN last_page INTEGER;
UPDATE local_files SET last_page = (SELECT max(json_extract(value, '$.page')) FROM json_each(marks)) WHERE json_valid(marks);
CREATE INDEX local_files_by_last_page ON local_files (attachment_id, path, last_page);
