-- With which settings the service was last asked, as JSON; at most one row.

CREATE TABLE asked_settings (id INTEGER PRIMARY KEY CHECK (id = 1), settings TEXT NOT NULL) STRICT;
