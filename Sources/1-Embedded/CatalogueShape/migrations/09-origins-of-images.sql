-- What images were made from and why, as JSON; NULL for those of which nobody wrote it down.

ALTER TABLE image_records ADD COLUMN origin TEXT;
