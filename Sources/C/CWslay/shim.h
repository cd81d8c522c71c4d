// The header of wslay, a C library that parses WebSocket frames.
#ifndef TONEARM_CWSLAY_SHIM_H
#define TONEARM_CWSLAY_SHIM_H
#include <wslay/wslay.h>
#endif
