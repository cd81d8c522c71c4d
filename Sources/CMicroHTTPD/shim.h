// libmicrohttpd, and wrappers for its variadic functions, which Swift cannot call.
#ifndef TONEARM_CMICROHTTPD_SHIM_H
#define TONEARM_CMICROHTTPD_SHIM_H
#include <microhttpd.h>
#endif
