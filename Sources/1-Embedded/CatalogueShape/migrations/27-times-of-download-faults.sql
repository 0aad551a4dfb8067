-- Since when a version of a chart does not come for one reason.

ALTER TABLE download_faults ADD COLUMN since INTEGER NOT NULL DEFAULT 0;
