#pragma once
// The header tells of the limits on amplification only where this is set; Debian's library has them.
#ifndef XML_DTD
#define XML_DTD 1
#endif
#include <expat.h>
