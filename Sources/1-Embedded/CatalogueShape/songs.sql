-- Words and chords of songs as JSON, by a digest of them: what charts that are drawn here are drawn from.
CREATE TABLE song_texts (
    digest TEXT PRIMARY KEY,
    song TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- The items whose songs have some. `is_shown` is set where a chart is drawn from it that nobody asked for; `writing` is how its chords are
-- written where nobody chose.
CREATE TABLE item_songs (
    plan_id TEXT NOT NULL,
    item_place INTEGER NOT NULL,
    song_id TEXT NOT NULL,
    title TEXT NOT NULL,
    digest TEXT NOT NULL,
    is_shown INTEGER NOT NULL,
    writing TEXT NOT NULL,
    FOREIGN KEY (plan_id, item_place) REFERENCES items (plan_id, place) ON DELETE CASCADE,
    PRIMARY KEY (plan_id, item_place)
) STRICT, WITHOUT ROWID;
CREATE INDEX item_songs_by_song ON item_songs (song_id);

-- The charts that are drawn here: those of one layout have each word at the same place, in whatever key, and in whatever order the parts are
-- played. `remarks` is a JSON list of what was not understood of the text, in words.
CREATE TABLE song_charts (
    hash TEXT PRIMARY KEY,
    layout TEXT NOT NULL,
    remarks TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX song_charts_by_layout ON song_charts (layout);

-- How the musician reads a song, as JSON: in one plan or, where `plan_id` is empty, in all others.
CREATE TABLE song_views (
    song_id TEXT NOT NULL,
    plan_id TEXT NOT NULL,
    view TEXT NOT NULL,
    PRIMARY KEY (song_id, plan_id)
) STRICT, WITHOUT ROWID;
