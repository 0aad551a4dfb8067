-- The sets of one's own that the band gets, and whether with their charts' files.
CREATE TABLE band_set_shares (
    plan_id TEXT PRIMARY KEY REFERENCES plans (id) ON DELETE CASCADE,
    with_charts INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The sets that the band's devices share, as they were last read. `id` tells a device's sets from each other, `object` is the sum of `said`.
CREATE TABLE band_sets (
    device TEXT NOT NULL REFERENCES band_devices (device) ON DELETE CASCADE,
    id TEXT NOT NULL,
    object TEXT NOT NULL,
    said TEXT NOT NULL,
    PRIMARY KEY (device, id)
) STRICT, WITHOUT ROWID;
