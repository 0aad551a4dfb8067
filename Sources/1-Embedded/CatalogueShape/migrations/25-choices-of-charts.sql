-- The choice of charts that a plan's contents were made with; the next poll tells it.

ALTER TABLE plans ADD COLUMN choice TEXT;
