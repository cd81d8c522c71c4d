// Makes Swift's Mutex known to ThreadSanitizer. script/test --sanitize=thread loads it before all other libraries.
//
// Three functions of the Swift runtime acquire and release a contended Synchronization.Mutex. The runtime is not instrumented, so the sanitizer sees
// only the uncontended path, and would report a race after each contended acquisition. The functions below replace these three, call them, and report
// their guarantee to the sanitizer: writes before a release are visible after the next acquisition. They suppress no reports.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context))

// Present only in a program that was built with the sanitizer. The address is the lock's word, which the instrumented path uses too.
extern void __tsan_acquire(void *address) __attribute__((weak));
extern void __tsan_release(void *address) __attribute__((weak));

static void *original(const char *name) {
    void *function = dlsym(RTLD_NEXT, name);
    if (!function) abort();
    return function;
}

// Synchronization._MutexHandle._lockSlow(UInt32), _tryLockSlow() -> Bool and _unlockSlow().
#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

SWIFT void mutexLock(uint32_t thread, SELF void *word) __asm__(LOCK);
SWIFT void mutexLock(uint32_t thread, SELF void *word) {
    SWIFT void (*function)(uint32_t, SELF void *) = original(LOCK);
    function(thread, word);
    if (__tsan_acquire) __tsan_acquire(word);
}

SWIFT bool mutexTryLock(SELF void *word) __asm__(TRY);
SWIFT bool mutexTryLock(SELF void *word) {
    SWIFT bool (*function)(SELF void *) = original(TRY);
    bool isTaken = function(word);
    if (isTaken && __tsan_acquire) __tsan_acquire(word);
    return isTaken;
}

SWIFT void mutexUnlock(SELF void *word) __asm__(UNLOCK);
SWIFT void mutexUnlock(SELF void *word) {
    SWIFT void (*function)(SELF void *) = original(UNLOCK);
    if (__tsan_release) __tsan_release(word);
    function(word);
}
