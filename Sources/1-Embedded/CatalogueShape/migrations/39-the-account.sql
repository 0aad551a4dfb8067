-- Whose plans are here, and another account that the service names by now, both as JSON.
CREATE TABLE service_account (id INTEGER PRIMARY KEY CHECK (id = 1), account TEXT NOT NULL, other TEXT) STRICT;
