-- The look that found the last save of a mark file, and the file's time if that was not in the future.
ALTER TABLE local_files ADD COLUMN saved_in INTEGER NOT NULL DEFAULT 0;

ALTER TABLE local_files ADD COLUMN saved_at INTEGER NOT NULL DEFAULT 0;

UPDATE local_files SET saved_at = modified;
