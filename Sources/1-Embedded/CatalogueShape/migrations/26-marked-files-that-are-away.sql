-- Which files of marks went away together with all others of their folder, as on a disk that is pulled out.

ALTER TABLE local_files ADD COLUMN is_away INTEGER NOT NULL DEFAULT 0;
CREATE INDEX local_files_away ON local_files (path) WHERE is_away;
