#include "CatalogueShape.h"

/* #embed is C23; the compiler accepts it in every mode and would only warn. */
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char schema[] = {
#embed "schema.sql"
};
static const unsigned char parts[] = {
#embed "parts.sql"
};
static const unsigned char asked[] = {
#embed "asked.sql"
};
static const unsigned char band[] = {
#embed "band.sql"
};
static const unsigned char songs[] = {
#embed "songs.sql"
};
static const unsigned char chart_keys[] = {
#embed "chart-keys.sql"
};
static const unsigned char band_devices[] = {
#embed "band-devices.sql"
};
static const unsigned char song_facts[] = {
#embed "song-facts.sql"
};
static const unsigned char sets[] = {
#embed "sets.sql"
};
static const unsigned char band_sets[] = {
#embed "band-sets.sql"
};
static const unsigned char set_devices[] = {
#embed "set-devices.sql"
};
static const unsigned char tonight[] = {
#embed "tonight.sql"
};
static const unsigned char chart_places[] = {
#embed "chart-places.sql"
};
static const unsigned char item_capos[] = {
#embed "item-capos.sql"
};
static const unsigned char followed[] = {
#embed "followed.sql"
};

const struct catalogue_step catalogue_steps[] = {
  {"schema 2", NULL, schema, sizeof schema},
  {"parts of layers", "parts", parts, sizeof parts},
  {"plans asked for alone", "asked_plans", asked, sizeof asked},
  {"the band", "band_devices", band, sizeof band},
  {"words and chords", "song_texts", songs, sizeof songs},
  {"keys of charts", "chart_keys", chart_keys, sizeof chart_keys},
  {"devices of the band", "band_former", band_devices, sizeof band_devices},
  {"facts of songs", "song_facts", song_facts, sizeof song_facts},
  {"sets of one's own", "sets", sets, sizeof sets},
  {"sets in the band", "band_sets", band_sets, sizeof band_sets},
  {"disks of sets", "set_devices", set_devices, sizeof set_devices},
  {"tonight's sets", "tonight_sets", tonight, sizeof tonight},
  {"places in charts", "chart_places", chart_places, sizeof chart_places},
  {"capos of items", "item_capos", item_capos, sizeof item_capos},
  {"marks that followed", "followed_layers", followed, sizeof followed},
};
const size_t catalogue_steps_count = sizeof catalogue_steps / sizeof *catalogue_steps;
