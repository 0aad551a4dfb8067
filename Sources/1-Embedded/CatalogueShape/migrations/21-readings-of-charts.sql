-- Which file a chart's was when it was last read through, and whether it held what was downloaded; NULL before.

ALTER TABLE charts ADD COLUMN read_stamp TEXT;
ALTER TABLE charts ADD COLUMN read_whole INTEGER;
