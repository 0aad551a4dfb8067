-- Whether it is known of a chart's pages what they lost. It is not where images are older than the catalogue, or than this.

ALTER TABLE charts ADD COLUMN looked_through INTEGER NOT NULL DEFAULT 0;
