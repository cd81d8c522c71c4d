// Digests and their encoding, from Nettle, which is a dependency of libmicrohttpd's TLS.
#ifndef TONEARM_CNETTLE_SHIM_H
#define TONEARM_CNETTLE_SHIM_H
#include <nettle/base64.h>
#include <nettle/hmac.h>
#include <nettle/sha1.h>
#endif
