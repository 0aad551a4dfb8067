#include "CatalogueShape.h"

/* #embed is C23; the compiler takes it in every mode and would only say so. */
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char migration_01[] = {
#embed "migrations/01-plans-charts-and-layers.sql"
};
static const unsigned char migration_02[] = {
#embed "migrations/02-changes-guards-and-links.sql"
};
static const unsigned char migration_03[] = {
#embed "migrations/03-page-orders.sql"
};
static const unsigned char migration_04[] = {
#embed "migrations/04-former-charts-and-marked-links.sql"
};
static const unsigned char migration_05[] = {
#embed "migrations/05-fonts-and-render-faults.sql"
};
static const unsigned char migration_06[] = {
#embed "migrations/06-image-records-cache-tally-and-pins.sql"
};
static const unsigned char migration_07[] = {
#embed "migrations/07-local-files-hidden-layers-and-older-marks.sql"
};
static const unsigned char migration_08[] = {
#embed "migrations/08-page-comparisons.sql"
};
static const unsigned char migration_09[] = {
#embed "migrations/09-origins-of-images.sql"
};
static const unsigned char migration_10[] = {
#embed "migrations/10-versions-of-marks-and-drawn-pages.sql"
};
static const unsigned char migration_11[] = {
#embed "migrations/11-former-files-with-all-that-is-known-of-them.sql"
};
static const unsigned char migration_12[] = {
#embed "migrations/12-plans-seen-and-details-of-items.sql"
};
static const unsigned char migration_13[] = {
#embed "migrations/13-last-pages-of-marks.sql"
};
static const unsigned char migration_14[] = {
#embed "migrations/14-charts-let-go.sql"
};
static const unsigned char migration_15[] = {
#embed "migrations/15-changes-of-marked-files.sql"
};
static const unsigned char migration_16[] = {
#embed "migrations/16-answers-of-the-service.sql"
};
static const unsigned char migration_17[] = {
#embed "migrations/17-charts-by-their-use.sql"
};
static const unsigned char migration_18[] = {
#embed "migrations/18-doubts-about-plans.sql"
};
static const unsigned char migration_19[] = {
#embed "migrations/19-doubts-about-layers.sql"
};
static const unsigned char migration_20[] = {
#embed "migrations/20-sheets-of-marks.sql"
};
static const unsigned char migration_21[] = {
#embed "migrations/21-readings-of-charts.sql"
};
static const unsigned char migration_22[] = {
#embed "migrations/22-service-times.sql"
};
static const unsigned char migration_23[] = {
#embed "migrations/23-copies-of-marked-files.sql"
};
static const unsigned char migration_24[] = {
#embed "migrations/24-download-faults.sql"
};
static const unsigned char migration_25[] = {
#embed "migrations/25-choices-of-charts.sql"
};
static const unsigned char migration_26[] = {
#embed "migrations/26-marked-files-that-are-away.sql"
};
static const unsigned char migration_27[] = {
#embed "migrations/27-times-of-download-faults.sql"
};
static const unsigned char migration_28[] = {
#embed "migrations/28-settings-the-service-was-asked-with.sql"
};
static const unsigned char migration_29[] = {
#embed "migrations/29-lost-content-of-pages.sql"
};
static const unsigned char migration_30[] = {
#embed "migrations/30-looks-through-charts.sql"
};
static const unsigned char migration_31[] = {
#embed "migrations/31-refused-versions-of-charts.sql"
};
static const unsigned char migration_32[] = {
#embed "migrations/32-marks-left-behind.sql"
};
static const unsigned char migration_33[] = {
#embed "migrations/33-plans-that-could-not-be-read.sql"
};
static const unsigned char migration_34[] = {
#embed "migrations/34-former-marks-of-files.sql"
};
static const unsigned char migration_35[] = {
#embed "migrations/35-saves-of-marked-files.sql"
};
static const unsigned char migration_36[] = {
#embed "migrations/36-marked-files-that-went-back.sql"
};
static const unsigned char migration_37[] = {
#embed "migrations/37-polls-that-failed.sql"
};
static const unsigned char migration_38[] = {
#embed "migrations/38-accepted-doubts-about-layers.sql"
};
static const unsigned char migration_39[] = {
#embed "migrations/39-the-account.sql"
};
static const unsigned char migration_40[] = {
#embed "migrations/40-ages-that-are-sure.sql"
};
static const unsigned char migration_41[] = {
#embed "migrations/41-what-was-told.sql"
};

const struct catalogue_migration catalogue_migrations[] = {
  {"1 plans, charts and layers", migration_01, sizeof migration_01},
  {"2 changes, guards and links", migration_02, sizeof migration_02},
  {"3 page orders", migration_03, sizeof migration_03},
  {"4 former charts and marked links", migration_04, sizeof migration_04},
  {"5 fonts and render faults", migration_05, sizeof migration_05},
  {"6 image records, cache tally and pins", migration_06, sizeof migration_06},
  {"7 local files, hidden layers and older marks", migration_07, sizeof migration_07},
  {"8 page comparisons", migration_08, sizeof migration_08},
  {"9 origins of images", migration_09, sizeof migration_09},
  {"10 versions of marks and drawn pages", migration_10, sizeof migration_10},
  {"11 former files with all that is known of them", migration_11, sizeof migration_11},
  {"12 plans seen and details of items", migration_12, sizeof migration_12},
  {"13 last pages of marks", migration_13, sizeof migration_13},
  {"14 charts let go", migration_14, sizeof migration_14},
  {"15 changes of marked files", migration_15, sizeof migration_15},
  {"16 answers of the service", migration_16, sizeof migration_16},
  {"17 charts by their use", migration_17, sizeof migration_17},
  {"18 doubts about plans", migration_18, sizeof migration_18},
  {"19 doubts about layers", migration_19, sizeof migration_19},
  {"20 sheets of marks", migration_20, sizeof migration_20},
  {"21 readings of charts", migration_21, sizeof migration_21},
  {"22 service times", migration_22, sizeof migration_22},
  {"23 copies of marked files", migration_23, sizeof migration_23},
  {"24 download faults", migration_24, sizeof migration_24},
  {"25 choices of charts", migration_25, sizeof migration_25},
  {"26 marked files that are away", migration_26, sizeof migration_26},
  {"27 times of download faults", migration_27, sizeof migration_27},
  {"28 settings the service was asked with", migration_28, sizeof migration_28},
  {"29 lost content of pages", migration_29, sizeof migration_29},
  {"30 looks through charts", migration_30, sizeof migration_30},
  {"31 refused versions of charts", migration_31, sizeof migration_31},
  {"32 marks left behind", migration_32, sizeof migration_32},
  {"33 plans that could not be read", migration_33, sizeof migration_33},
  {"34 former marks of files", migration_34, sizeof migration_34},
  {"35 saves of marked files", migration_35, sizeof migration_35},
  {"36 marked files that went back", migration_36, sizeof migration_36},
  {"37 polls that failed", migration_37, sizeof migration_37},
  {"38 accepted doubts about layers", migration_38, sizeof migration_38},
  {"39 the account", migration_39, sizeof migration_39},
  {"40 ages that are sure", migration_40, sizeof migration_40},
  {"41 what was told", migration_41, sizeof migration_41},
};
const size_t catalogue_migrations_count = sizeof catalogue_migrations / sizeof *catalogue_migrations;

static const unsigned char schema[] = {
#embed "schema.sql"
};
const struct catalogue_migration catalogue_schema = {"schema", schema, sizeof schema};
