// The header of Rubber Band's C interface.
#ifndef TONEARM_CRUBBERBAND_SHIM_H
#define TONEARM_CRUBBERBAND_SHIM_H
#include <rubberband/rubberband-c.h>
#endif
