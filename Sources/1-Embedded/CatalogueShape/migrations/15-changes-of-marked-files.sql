-- When anything about a file was last changed, which nobody can set; whatever was read before is read once more. And what finds
-- the chart of a file that was moved: the PDF that it named before, and indexes by what files draw.

ALTER TABLE local_files ADD COLUMN changed INTEGER NOT NULL DEFAULT 0;
ALTER TABLE let_go_charts ADD COLUMN changed INTEGER NOT NULL DEFAULT 0;
CREATE INDEX local_files_by_marks ON local_files (marks_version);
ALTER TABLE former_files ADD COLUMN said_pdf TEXT;
CREATE INDEX former_files_by_marks ON former_files (marks_sum);
