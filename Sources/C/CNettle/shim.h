// Nettle's functions for digests and base64. Nettle is installed in any case, because libmicrohttpd's TLS depends on it.
#ifndef TONEARM_CNETTLE_SHIM_H
#define TONEARM_CNETTLE_SHIM_H
#include <nettle/base64.h>
#include <nettle/hmac.h>
#include <nettle/sha1.h>
#endif
