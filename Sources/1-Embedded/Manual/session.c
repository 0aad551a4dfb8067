#include "Manual.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char unit[] = {
#embed "../../../sample-config/woodshed.service"
};
static const unsigned char entry[] = {
#embed "../../../sample-config/woodshed.desktop"
};
static const unsigned char icon[] = {
#embed "../ViewerPages/assets/icon.svg"
};

const struct manual_page session_unit = {"woodshed.service", unit, sizeof unit};
const struct manual_page session_entry = {"woodshed.desktop", entry, sizeof entry};
const struct manual_page session_icon = {"woodshed.svg", icon, sizeof icon};
