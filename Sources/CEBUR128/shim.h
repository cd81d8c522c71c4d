// The header of libebur128.
#ifndef TONEARM_CEBUR128_SHIM_H
#define TONEARM_CEBUR128_SHIM_H
#include <ebur128.h>
// The header has the modes as an enumeration, whose combinations Swift does not import.
static const int CEBUR128_wholeRecording = EBUR128_MODE_I | EBUR128_MODE_LRA | EBUR128_MODE_TRUE_PEAK | EBUR128_MODE_HISTOGRAM;
#endif
