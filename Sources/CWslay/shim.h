// wslay, the framing of WebSockets.
#ifndef TONEARM_CWSLAY_SHIM_H
#define TONEARM_CWSLAY_SHIM_H
#include <wslay/wslay.h>
#endif
