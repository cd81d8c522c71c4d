// The header of libpulse's asynchronous API.
#ifndef TONEARM_CPULSE_SHIM_H
#define TONEARM_CPULSE_SHIM_H
#include <pulse/pulseaudio.h>

// Swift does not import these macros of libpulse, because they are casts or aliases.
static const pa_volume_t CPulse_volumeNorm = PA_VOLUME_NORM;
static const pa_sample_format_t CPulse_nativeFloat = PA_SAMPLE_FLOAT32NE;
#endif
