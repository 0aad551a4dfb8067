-- The capos that lists of one's own name behind their songs.
CREATE TABLE item_capos (
    plan_id TEXT NOT NULL,
    item_place INTEGER NOT NULL,
    capo INTEGER NOT NULL,
    FOREIGN KEY (plan_id, item_place) REFERENCES items (plan_id, place) ON DELETE CASCADE,
    PRIMARY KEY (plan_id, item_place)
) STRICT, WITHOUT ROWID;
