// libmicrohttpd's header, with wrappers for its functions that Swift cannot call: functions with variable arguments, and a callback that takes a
// va_list.
#ifndef TONEARM_CMICROHTTPD_SHIM_H
#define TONEARM_CMICROHTTPD_SHIM_H
#include <microhttpd.h>
#include <stdarg.h>
#include <stdio.h>

/// The settings that Tonearm passes to libmicrohttpd. The structure must keep its address until libmicrohttpd has stopped, because libmicrohttpd's
/// logger has a pointer to it.
struct CMicroHTTPD_Setup {
    MHD_socket listenSocket;
    unsigned int connectionLimit;
    size_t connectionMemory;
    MHD_AcceptPolicyCallback admit;
    MHD_AccessHandlerCallback answer;
    MHD_NotifyConnectionCallback notifyConnection;
    MHD_RequestCompletedCallback notifyCompleted;
    void *(*readTarget)(void *context, const char *target, struct MHD_Connection *connection);
    size_t (*unescape)(void *context, struct MHD_Connection *connection, char *text);
    void (*log)(void *context, const char *line);
    void *context;
};

// Formats a line of libmicrohttpd's log in C: MHD_LogCallback takes a va_list, whose Swift type depends on the processor.
static inline void CMicroHTTPD_log(void *setup, const char *format, va_list arguments) {
    const struct CMicroHTTPD_Setup *s = (const struct CMicroHTTPD_Setup *)setup;
    char line[512];
    if (vsnprintf(line, sizeof line, format, arguments) > 0) s->log(s->context, line);
}

// The option that sets how strictly libmicrohttpd reads requests. From version 0.9.77.1 on libmicrohttpd by default accepts folded lines and a bare
// LF, and answers a space in the request's target with a redirection of its own; level 1 refuses such requests. Older versions do not have the
// option, so RequestReader refuses folded lines, bare LF and spaces in the target.
#if MHD_VERSION >= 0x00097701
#define CMICROHTTPD_DISCIPLINE MHD_OPTION_CLIENT_DISCIPLINE_LVL, 1,
#else
#define CMICROHTTPD_DISCIPLINE
#endif
static inline int CMicroHTTPD_isStrict(void) { return MHD_VERSION >= 0x00097701; }

// Starts libmicrohttpd: MHD_start_daemon takes its options as variable arguments, so Swift cannot call it. With MHD_USE_TURBO, libmicrohttpd answers
// a request in the same pass of its loop in which it has read the request. MHD_USE_TURBO also omits the shutdown of a connection before its close, so
// that a duplicate of libmicrohttpd's descriptor can be used after the close.
static inline struct MHD_Daemon *CMicroHTTPD_start(const struct CMicroHTTPD_Setup *s) {
    const unsigned int flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_USE_TURBO | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG;
    return MHD_start_daemon(flags, 0, s->admit, s->context, s->answer, s->context,
                            MHD_OPTION_EXTERNAL_LOGGER, CMicroHTTPD_log, (void *)s,
                            CMICROHTTPD_DISCIPLINE
                            MHD_OPTION_LISTEN_SOCKET, s->listenSocket,
                            MHD_OPTION_CONNECTION_LIMIT, s->connectionLimit,
                            MHD_OPTION_CONNECTION_MEMORY_LIMIT, s->connectionMemory,
                            MHD_OPTION_NOTIFY_CONNECTION, s->notifyConnection, s->context,
                            MHD_OPTION_NOTIFY_COMPLETED, s->notifyCompleted, s->context,
                            MHD_OPTION_URI_LOG_CALLBACK, s->readTarget, s->context,
                            MHD_OPTION_UNESCAPE_CALLBACK, s->unescape, s->context,
                            MHD_OPTION_END);
}

// Calls MHD_get_connection_info, which is declared with variable arguments, but reads none for the kinds of information that Tonearm uses.
static inline const union MHD_ConnectionInfo *CMicroHTTPD_connectionInfo(struct MHD_Connection *connection, enum MHD_ConnectionInfoType question) {
    return MHD_get_connection_info(connection, question);
}
#endif
