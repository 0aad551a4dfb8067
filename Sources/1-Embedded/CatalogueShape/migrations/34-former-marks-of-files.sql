-- Former states of the user's mark files that had marks which were in none of the chart's files afterwards. 'vanished' is how many of
-- the 'count' marks that are drawn those were; 'accepted' ends the note about it.
CREATE TABLE former_marks (
    number INTEGER PRIMARY KEY,
    path TEXT NOT NULL,
    attachment_id TEXT,
    marked_on TEXT,
    vanished_at INTEGER NOT NULL,
    marks TEXT NOT NULL,
    sheets TEXT,
    sums TEXT NOT NULL,
    count INTEGER NOT NULL,
    vanished INTEGER NOT NULL,
    accepted INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE INDEX former_marks_by_chart ON former_marks (attachment_id);

CREATE INDEX former_marks_by_path ON former_marks (path);
