-- The disks of the sets: folders on different disks may have the same number.
CREATE TABLE set_devices (
    path TEXT PRIMARY KEY REFERENCES sets (path) ON DELETE CASCADE,
    device INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
