-- What the musician changed in a plan for one evening, as JSON. The items that are stored for it are among the plan's items, at places
-- from 1,000,000 on.
CREATE TABLE tonight_sets (
    plan_id TEXT PRIMARY KEY REFERENCES plans (id) ON DELETE CASCADE,
    edits TEXT NOT NULL
) STRICT, WITHOUT ROWID;
