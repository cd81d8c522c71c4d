// The header of ALSA's library.
#ifndef TONEARM_CALSA_SHIM_H
#define TONEARM_CALSA_SHIM_H
#include <alsa/asoundlib.h>

// Without a handler, ALSA writes each failure to standard error. Its handler has variable arguments, which Swift cannot have.
static inline void CALSA_ignoreError(const char *file, int line, const char *function, int code, const char *format, ...) {
    (void)file, (void)line, (void)function, (void)code, (void)format;
}
static inline void CALSA_silence(void) { snd_lib_error_set_handler(CALSA_ignoreError); }
#endif
