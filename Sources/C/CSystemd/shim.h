// The header of systemd's D-Bus client.
#ifndef TONEARM_CSYSTEMD_SHIM_H
#define TONEARM_CSYSTEMD_SHIM_H
#include <fcntl.h>
#include <systemd/sd-bus.h>

// Delays the sleep of the machine until the returned descriptor is closed, or until logind's limit (5 s). Negative if logind refuses. The function of
// the library has variable arguments, which Swift cannot call.
static inline int CSystemd_delaySleep(sd_bus *bus, const char *who, const char *why) {
    sd_bus_message *reply = NULL;
    int descriptor = -1;
    int code = sd_bus_call_method(
        bus, "org.freedesktop.login1", "/org/freedesktop/login1", "org.freedesktop.login1.Manager", "Inhibit", NULL, &reply, "ssss", "sleep", who, why,
        "delay");
    // The message owns the descriptor.
    if (code >= 0 && sd_bus_message_read_basic(reply, 'h', &descriptor) >= 0) descriptor = fcntl(descriptor, F_DUPFD_CLOEXEC, 3);
    sd_bus_message_unref(reply);
    return descriptor;
}
#endif
