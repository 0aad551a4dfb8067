-- Plans that the service lists while their contents could not be read: the next plan may be among them. A plan is kept as JSON.

CREATE TABLE unread_plans (
    plan_id TEXT PRIMARY KEY,
    plan TEXT NOT NULL,
    since INTEGER NOT NULL,
    reason TEXT
) STRICT, WITHOUT ROWID;
