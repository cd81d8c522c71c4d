// The header of libexpat, whose parser reads podcast feeds.
#ifndef TONEARM_CEXPAT_SHIM_H
#define TONEARM_CEXPAT_SHIM_H
#include <expat.h>

// Returns the line that the parser has reached. Newer headers declare XML_GetCurrentLineNumber deprecated in favour of a function that older headers
// do not have, and Swift cannot permit the use of a single deprecated function.
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wdeprecated-declarations"
static inline XML_Size CExpat_currentLine(XML_Parser parser) { return XML_GetCurrentLineNumber(parser); }
#pragma clang diagnostic pop
#endif
