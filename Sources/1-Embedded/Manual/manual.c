#include "Manual.h"

/* #embed is C23; the compiler accepts it in every mode and would only warn. */
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char promises[] = {
#embed "pages/promises.md"
};
static const unsigned char marks[] = {
#embed "pages/marks.md"
};
static const unsigned char replaced[] = {
#embed "pages/replaced.md"
};
static const unsigned char sets[] = {
#embed "pages/sets.md"
};
static const unsigned char songs[] = {
#embed "pages/songs.md"
};
static const unsigned char chordpro[] = {
#embed "pages/chordpro.md"
};
static const unsigned char tablet[] = {
#embed "pages/tablet.md"
};
static const unsigned char rehearsal[] = {
#embed "pages/rehearsal.md"
};
static const unsigned char band[] = {
#embed "pages/band.md"
};
static const unsigned char laptop[] = {
#embed "pages/laptop.md"
};
static const unsigned char settings[] = {
#embed "pages/settings.md"
};
static const unsigned char commands[] = {
#embed "pages/commands.md"
};
static const unsigned char json[] = {
#embed "pages/json.md"
};
static const unsigned char trouble[] = {
#embed "pages/trouble.md"
};
static const unsigned char measurements[] = {
#embed "pages/measurements.md"
};

static const unsigned char schema[] = {
#embed "schema/marks.schema.json"
};
const struct manual_page layer_schema = {"marks.schema.json", schema, sizeof schema};

#define PAGE(topic) {#topic, topic, sizeof topic}

/* In reading order. */
const struct manual_page manual_pages[] = {
    PAGE(promises), PAGE(marks), PAGE(replaced), PAGE(sets), PAGE(songs), PAGE(chordpro), PAGE(tablet), PAGE(rehearsal), PAGE(band),
    PAGE(laptop), PAGE(trouble), PAGE(commands), PAGE(settings), PAGE(json), PAGE(measurements),
};
const size_t manual_pages_count = sizeof manual_pages / sizeof manual_pages[0];
