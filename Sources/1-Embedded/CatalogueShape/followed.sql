-- Where the marks of a layer are on a chart that replaced the one that they were made on, as JSON: an entry for each mark that the layer
-- had then. `version` identifies the places that are drawn; NULL if all marks are drawn where they were made.
CREATE TABLE followed_layers (
    layer_id TEXT NOT NULL,
    chart TEXT NOT NULL,
    former TEXT NOT NULL,
    method INTEGER NOT NULL,
    taken_back INTEGER NOT NULL DEFAULT 0,
    version TEXT,
    marks TEXT NOT NULL,
    PRIMARY KEY (layer_id, chart)
) STRICT;
CREATE INDEX followed_layers_by_version ON followed_layers (layer_id, chart, version) WHERE version IS NOT NULL;
