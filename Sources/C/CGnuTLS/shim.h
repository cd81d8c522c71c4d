// The headers of GnuTLS, which encrypts the connections to servers of media. Debian's FFmpeg uses it too, so it is installed in any case.
#ifndef TONEARM_CGNUTLS_SHIM_H
#define TONEARM_CGNUTLS_SHIM_H
#include <gnutls/gnutls.h>
#include <gnutls/x509.h>
#endif
