-- The order in which a chart's pages are to be shown, as the service words it.

ALTER TABLE attachments ADD COLUMN page_order TEXT NOT NULL DEFAULT '';
