// Replaces the responses that libmicrohttpd sends by itself, which are a line of HTML.
//
// libmicrohttpd sends such a response if it cannot read a request, and has no option and no callback for it. But it calls its own function
// MHD_queue_response through the dynamic linker, which prefers the program's definition. CMicroHTTPDErrors.c defines this function.
#ifndef TONEARM_CMICROHTTPDERRORS_H
#define TONEARM_CMICROHTTPDERRORS_H

struct MHD_Connection;
struct MHD_Response;

/// Sets the function that is called before libmicrohttpd sends a response of its own, for all servers of the process. If the function returns a value
/// other than 0, libmicrohttpd closes the connection without a response, and the program sends one.
void CMicroHTTPDErrors_setHandler(int (*_Nonnull handler)(struct MHD_Connection *_Nonnull connection, unsigned int status));

/// Sends a response of the program by libmicrohttpd's own MHD_queue_response. Returns 0 after a failure.
int CMicroHTTPDErrors_queue(struct MHD_Connection *_Nonnull connection, unsigned int status, struct MHD_Response *_Nonnull response);
#endif
