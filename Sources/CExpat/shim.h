// The header of libexpat, whose parser reads podcast feeds.
#ifndef TONEARM_CEXPAT_SHIM_H
#define TONEARM_CEXPAT_SHIM_H
#include <expat.h>
#endif
