#include "OfflinePages.h"

/* #embed is C23; the compiler accepts it in every mode and would only warn. */
#pragma clang diagnostic ignored "-Wc23-extensions"

const unsigned char offline_style[] = {
#embed "assets/offline.css"
};
const size_t offline_style_length = sizeof offline_style;
const unsigned char offline_script[] = {
#embed "assets/offline.js"
};
const size_t offline_script_length = sizeof offline_script;
