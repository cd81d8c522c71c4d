// The headers of GnuTLS, on which FFmpeg's own "tls" protocol is built in Debian.
#ifndef TONEARM_CGNUTLS_SHIM_H
#define TONEARM_CGNUTLS_SHIM_H
#include <gnutls/gnutls.h>
#include <gnutls/x509.h>
#endif
