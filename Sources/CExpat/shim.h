// The header of expat, which parses the XML of feeds.
#ifndef TONEARM_CEXPAT_SHIM_H
#define TONEARM_CEXPAT_SHIM_H
#include <expat.h>
#endif
