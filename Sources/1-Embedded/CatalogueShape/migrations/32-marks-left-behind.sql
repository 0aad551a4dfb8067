-- Charts that a plan showed for a song and does not any more, though it still has the song: their marks may be missed there.

CREATE TABLE marks_left_behind (
    plan_id TEXT NOT NULL REFERENCES plans (id) ON DELETE CASCADE,
    attachment_id TEXT NOT NULL,
    PRIMARY KEY (plan_id, attachment_id)
) STRICT, WITHOUT ROWID;
