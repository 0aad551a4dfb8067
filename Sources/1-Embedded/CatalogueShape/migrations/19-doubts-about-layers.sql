-- Layers of which the newest word was not taken over, or only a part of it; not all of them are among the layers. And plans of
-- which the service tells no marks.

CREATE TABLE layer_doubts (
    layer_id TEXT PRIMARY KEY,
    attachment_id TEXT NOT NULL,
    name TEXT NOT NULL,
    person_name TEXT NOT NULL,
    since INTEGER NOT NULL,
    reason TEXT NOT NULL,
    told TEXT NOT NULL,
    is_partial INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE untold_marks (
    plan_id TEXT PRIMARY KEY REFERENCES plans (id) ON DELETE CASCADE,
    since INTEGER NOT NULL,
    reason TEXT NOT NULL
) STRICT, WITHOUT ROWID;
