#pragma once
// The header declares the limits on amplification only if XML_DTD is defined; Debian's library supports them.
#ifndef XML_DTD
#define XML_DTD 1
#endif
#include <expat.h>

// Newer headers deprecate these three functions in favour of others. The numbers of old and new functions have the same width here.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
static inline long xml_byte_index(XML_Parser parser) { return (long)XML_GetCurrentByteIndex(parser); }
static inline unsigned long xml_line(XML_Parser parser) { return (unsigned long)XML_GetCurrentLineNumber(parser); }
static inline unsigned long xml_column(XML_Parser parser) { return (unsigned long)XML_GetCurrentColumnNumber(parser); }
#pragma GCC diagnostic pop
