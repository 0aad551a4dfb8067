-- The devices of the band that this home was before, which are none of the others: whether what they left in its place is as it was (0), is to
-- be taken away (1), or was (2).
CREATE TABLE band_former (device TEXT PRIMARY KEY, cleared INTEGER NOT NULL) STRICT, WITHOUT ROWID;

-- The key by which each device's words are known as its own, since it first signed one.
CREATE TABLE band_keys (device TEXT PRIMARY KEY, key TEXT NOT NULL) STRICT, WITHOUT ROWID;
