-- Since when a poll that was sure of the time has known what goes for its age: a clock that was wrong may have dated it to any year.
ALTER TABLE former_marks ADD COLUMN noticed_at INTEGER;
ALTER TABLE lost_charts ADD COLUMN noticed_at INTEGER;
ALTER TABLE journal ADD COLUMN noticed_at INTEGER;
CREATE INDEX journal_by_notice ON journal (noticed_at);
