-- What the texts say that charts were drawn from, as JSON: the key of the chords, the capo, and a likely key where the text names none.
CREATE TABLE song_facts (
    hash TEXT PRIMARY KEY,
    facts TEXT NOT NULL
) STRICT, WITHOUT ROWID;
