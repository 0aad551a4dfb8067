-- How far the journal was read, plan by plan; and what the service tells of an item beside its charts.

CREATE TABLE seen_plans (
    plan_id TEXT PRIMARY KEY REFERENCES plans (id) ON DELETE CASCADE,
    journal_number INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

ALTER TABLE items ADD COLUMN kind TEXT;
ALTER TABLE items ADD COLUMN arrangement TEXT;
ALTER TABLE items ADD COLUMN length INTEGER;
ALTER TABLE items ADD COLUMN description TEXT;
