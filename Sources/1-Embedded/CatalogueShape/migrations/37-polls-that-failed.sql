-- Since when polls have not been answered in full, and what the last of them met; no row while they are.
CREATE TABLE failing_polls (id INTEGER PRIMARY KEY CHECK (id = 1), since INTEGER NOT NULL, reason TEXT NOT NULL) STRICT;
