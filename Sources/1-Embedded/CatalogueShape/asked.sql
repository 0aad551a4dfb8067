-- The plans that the service sent whole, with charts and marks, after the list of all plans, while others were still to be asked for, or
-- were not asked for at all; with the settings of then. Empty once it has answered in full.
CREATE TABLE asked_plans (
    plan_id TEXT PRIMARY KEY,
    asked_at INTEGER NOT NULL,
    settings TEXT
) STRICT;
