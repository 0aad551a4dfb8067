-- Why a plan is held back; NULL for what was held back before, which had lost charts. The charts that plans do not show any
-- more, which a plan that goes on shrinking is measured by. By which rules of the configuration a plan may be without charts,
-- since somebody said so. And since when a plan was seen to be past, by polls that could be trusted.

ALTER TABLE held_back ADD COLUMN reason TEXT;

CREATE TABLE lost_charts (
    plan_id TEXT NOT NULL REFERENCES plans (id) ON DELETE CASCADE,
    attachment_id TEXT NOT NULL,
    filename TEXT NOT NULL,
    since INTEGER NOT NULL,
    counts INTEGER NOT NULL,
    PRIMARY KEY (plan_id, attachment_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX lost_charts_by_attachment ON lost_charts (attachment_id);

CREATE TABLE meant_choices (
    plan_id TEXT PRIMARY KEY REFERENCES plans (id) ON DELETE CASCADE,
    rules TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE past_plans (
    plan_id TEXT PRIMARY KEY REFERENCES plans (id) ON DELETE CASCADE,
    since INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
