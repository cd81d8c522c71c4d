// libpulse's asynchronous API.
#ifndef TONEARM_CPULSE_SHIM_H
#define TONEARM_CPULSE_SHIM_H
#include <pulse/pulseaudio.h>
#endif
