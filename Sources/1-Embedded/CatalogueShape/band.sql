-- What the devices of the band last said. `head` is the file without its layers; `sum` tells it from any other. `said_at` is when it was
-- first read here, `away_since` is set while it is not in its place, `went_back_at` if an older one was.
CREATE TABLE band_devices (
    device TEXT PRIMARY KEY,
    counter INTEGER NOT NULL,
    sum TEXT NOT NULL,
    person TEXT NOT NULL,
    device_name TEXT NOT NULL,
    has_left INTEGER NOT NULL,
    head TEXT NOT NULL,
    said_at INTEGER NOT NULL,
    away_since INTEGER,
    went_back_at INTEGER
) STRICT;
CREATE INDEX band_devices_by_person ON band_devices (person);

-- Who is not shown here: people, by what they call themselves, and devices, by their ids.
CREATE TABLE band_left_out (name TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;

-- The layers that they share, as their heads say.
CREATE TABLE band_entries (
    device TEXT NOT NULL REFERENCES band_devices (device) ON DELETE CASCADE,
    id TEXT NOT NULL,
    name TEXT NOT NULL,
    chart TEXT NOT NULL,
    title TEXT NOT NULL,
    object TEXT NOT NULL,
    length INTEGER NOT NULL,
    since INTEGER NOT NULL,
    PRIMARY KEY (device, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX band_entries_by_chart ON band_entries (chart);

-- Which of those are among the layers, made of which object.
CREATE TABLE band_layers (
    layer_id TEXT PRIMARY KEY,
    device TEXT NOT NULL,
    id TEXT NOT NULL,
    chart TEXT NOT NULL,
    object TEXT NOT NULL,
    person TEXT NOT NULL,
    name TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX band_layers_by_entry ON band_layers (device, id);

-- What this device last said: the band that it said it to, as whom, and the whole head. `renewed_at` is when it last became another device.
CREATE TABLE band_own (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    team TEXT NOT NULL,
    device TEXT NOT NULL,
    counter INTEGER NOT NULL,
    sum TEXT NOT NULL,
    head TEXT NOT NULL,
    renewed_at INTEGER
) STRICT;

-- Which band the place is of, as it was first read: what somebody writes into it later does not make it another one.
CREATE TABLE band_team (one INTEGER PRIMARY KEY CHECK (one = 1), id TEXT NOT NULL) STRICT;

-- The objects of this device that its head does not name any more, and since when.
CREATE TABLE band_dropped (
    object TEXT PRIMARY KEY,
    since INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Whose marks the band sees: those on these charts, or on all others than these.
CREATE TABLE band_shares (
    attachment_id TEXT PRIMARY KEY,
    is_shared INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
