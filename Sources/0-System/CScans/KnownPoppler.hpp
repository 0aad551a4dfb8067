// poppler's own classes are no stable interface. With a version whose classes we do not know, or on request, nothing here is compiled that
// touches them, and NoDecoders.cpp takes its place: poppler-glib then draws every page.
#pragma once
#include <glib/poppler-features.h>

#if POPPLER_CHECK_VERSION(22, 12, 0) && !POPPLER_CHECK_VERSION(25, 4, 0) && !defined(WOODSHED_WITHOUT_DECODERS)
#define WOODSHED_KNOWS_POPPLER 1
#else
#define WOODSHED_KNOWS_POPPLER 0
#endif
