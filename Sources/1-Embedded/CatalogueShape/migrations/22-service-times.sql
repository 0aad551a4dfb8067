-- When a plan's first service is, as against its rehearsals; the next poll tells it.

ALTER TABLE plans ADD COLUMN service_time INTEGER;
