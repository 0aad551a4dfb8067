#pragma once
// The header tells of the limits on amplification only where this is set; Debian's library has them.
#ifndef XML_DTD
#define XML_DTD 1
#endif
#include <expat.h>

// Newer headers ask for other names of these three; both are as wide here.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
static inline long xml_byte_index(XML_Parser parser) { return (long)XML_GetCurrentByteIndex(parser); }
static inline unsigned long xml_line(XML_Parser parser) { return (unsigned long)XML_GetCurrentLineNumber(parser); }
static inline unsigned long xml_column(XML_Parser parser) { return (unsigned long)XML_GetCurrentColumnNumber(parser); }
#pragma GCC diagnostic pop
