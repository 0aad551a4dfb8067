-- Files that went back to an older state; what is known of them is the newer one.
ALTER TABLE local_files ADD COLUMN went_back INTEGER NOT NULL DEFAULT 0;

CREATE INDEX local_files_gone_back ON local_files (path) WHERE went_back;
