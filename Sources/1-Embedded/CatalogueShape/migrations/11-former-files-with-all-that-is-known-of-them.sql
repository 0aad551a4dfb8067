-- A file that comes back, or turns up under another name, has all that was known of it: `marks_sum` is the SHA-256 of its
-- marks, NULL where it had none.

ALTER TABLE former_files ADD COLUMN marked_on TEXT;
ALTER TABLE former_files ADD COLUMN accepted_on TEXT;
ALTER TABLE former_files ADD COLUMN device INTEGER;
ALTER TABLE former_files ADD COLUMN inode INTEGER;
ALTER TABLE former_files ADD COLUMN size INTEGER;
ALTER TABLE former_files ADD COLUMN marks_sum TEXT;
CREATE INDEX local_files_by_inode ON local_files (inode);
