// poppler's own classes are not a stable interface. For a version with unknown classes, or on request, no code that uses them is compiled;
// instead, NoDecoders.cpp makes poppler-glib draw every page.
#pragma once
#include <glib/poppler-features.h>

#if POPPLER_CHECK_VERSION(22, 12, 0) && !POPPLER_CHECK_VERSION(25, 4, 0) && !defined(WOODSHED_WITHOUT_DECODERS)
#define WOODSHED_KNOWS_POPPLER 1
#else
#define WOODSHED_KNOWS_POPPLER 0
#endif
