// The header of libebur128, which measures the loudness of recordings.
#ifndef TONEARM_CEBUR128_SHIM_H
#define TONEARM_CEBUR128_SHIM_H
#include <ebur128.h>
// The header declares the modes as an enumeration. Swift does not import combinations of its values, so the one that is used is defined here.
static const int CEBUR128_wholeRecording = EBUR128_MODE_I | EBUR128_MODE_LRA | EBUR128_MODE_TRUE_PEAK | EBUR128_MODE_HISTOGRAM;
#endif
