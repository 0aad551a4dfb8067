-- Marks that a person accepted though the service had newer ones before.
ALTER TABLE layer_doubts ADD COLUMN accepted INTEGER NOT NULL DEFAULT 0;
