-- The devices of the band that this home was before, which are none of the others: whether what they left in its place is as it was (0), is to
-- be taken away (1), or was (2).
CREATE TABLE band_former (device TEXT PRIMARY KEY, cleared INTEGER NOT NULL) STRICT, WITHOUT ROWID;

-- The key by which each device's words are known as its own, since it first signed one.
CREATE TABLE band_keys (device TEXT PRIMARY KEY, key TEXT NOT NULL) STRICT, WITHOUT ROWID;

-- Which other devices each one, also this home's, says are the same musician's; only those that name each other are. As `self` this home's
-- own one, as `named` those that the musician named.
CREATE TABLE band_kin (device TEXT NOT NULL, other TEXT NOT NULL, PRIMARY KEY (device, other)) STRICT, WITHOUT ROWID;

-- What was said on each device, also on this one, of sharing marks: of a chart by its attachment, of all charts with none, and with a blank
-- that the band was left. Of the same musician's devices, the one with the greatest `at` counts.
CREATE TABLE band_decisions (
    device TEXT NOT NULL,
    attachment_id TEXT NOT NULL,
    is_shared INTEGER NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (device, attachment_id)
) STRICT, WITHOUT ROWID;

-- Of which attachment of its device an entry is.
CREATE TABLE band_entry_charts (
    device TEXT NOT NULL REFERENCES band_devices (device) ON DELETE CASCADE,
    id TEXT NOT NULL,
    attachment_id TEXT NOT NULL,
    PRIMARY KEY (device, id)
) STRICT, WITHOUT ROWID;

-- When each plan was last opened here.
CREATE TABLE opened_plans (plan_id TEXT PRIMARY KEY, at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
