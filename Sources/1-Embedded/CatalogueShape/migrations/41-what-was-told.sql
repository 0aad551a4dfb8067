-- Up to which entry of the journal people were told what changed in a plan, once all of its charts had been here; and whether they
-- were told that it is not ready.
CREATE TABLE told_plans (
    plan_id TEXT PRIMARY KEY REFERENCES plans (id) ON DELETE CASCADE,
    journal_number INTEGER,
    unready INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
