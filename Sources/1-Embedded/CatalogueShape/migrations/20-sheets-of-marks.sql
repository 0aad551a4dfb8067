-- What the pages measure that a file's marks were made on. All files that can tell are read again: what they said before was
-- understood by a reader that left out more of it. The index has all that it takes to tell whether something else is drawn.

ALTER TABLE local_files ADD COLUMN sheets TEXT;
DROP INDEX local_files_by_version;
CREATE INDEX local_files_by_drawing ON local_files (attachment_id, path, marks_version, first_seen, sheets);
UPDATE local_files SET device = 0, inode = 0, size = 0, modified = 0, changed = 0
    WHERE path NOT LIKE '%.marks.json';
