#define _GNU_SOURCE
#include "CMicroHTTPDErrors.h"

#include <dlfcn.h>
#include <microhttpd.h>
#include <stdatomic.h>
#include <stdlib.h>

typedef int (*Handler)(struct MHD_Connection *, unsigned int);
typedef enum MHD_Result (*Queue)(struct MHD_Connection *, unsigned int, struct MHD_Response *);

static _Atomic(Handler) handler;

void CMicroHTTPDErrors_setHandler(Handler function) { atomic_store(&handler, function); }

// Returns libmicrohttpd's own MHD_queue_response.
static Queue original(void) {
    static _Atomic(void *) kept;
    void *found = atomic_load_explicit(&kept, memory_order_relaxed);
    if (!found) {
        found = dlsym(RTLD_NEXT, "MHD_queue_response");
        // If libmicrohttpd is linked statically into the program, its own function cannot be found. CMicroHTTPDErrors does not support this.
        if (!found) abort();
        atomic_store_explicit(&kept, found, memory_order_relaxed);
    }
    return (Queue)found;
}

int CMicroHTTPDErrors_queue(struct MHD_Connection *connection, unsigned int status, struct MHD_Response *response) {
    return original()(connection, status, response);
}

// libmicrohttpd calls this definition in place of its own. The program itself calls CMicroHTTPDErrors_queue, so each call of this function comes from
// libmicrohttpd.
enum MHD_Result MHD_queue_response(struct MHD_Connection *connection, unsigned int status, struct MHD_Response *response) {
    Handler function = atomic_load(&handler);
    if (function && function(connection, status)) return MHD_NO;
    return original()(connection, status, response);
}
