// Declarations of Debian's C library that Swift's module Glibc does not contain.
#ifndef TONEARM_CLINUX_SHIM_H
#define TONEARM_CLINUX_SHIM_H
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>
// The headers of epoll, eventfd, malloc and fstab.
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <malloc.h>
#include <mntent.h>

// pthread_setname_np is declared in <pthread.h> only under _GNU_SOURCE, which Swift's module map of Glibc does not set.
extern int pthread_setname_np(pthread_t thread, const char *name);
static inline int CLinux_setCurrentThreadName(const char *name) {
    return pthread_setname_np(pthread_self(), name);
}

// sem_clockwait, like pthread_setname_np, is declared only under _GNU_SOURCE.
extern int sem_clockwait(sem_t *semaphore, clockid_t clock, const struct timespec *until);
static inline int CLinux_waitMonotonic(sem_t *semaphore, const struct timespec *until) {
    return sem_clockwait(semaphore, CLOCK_MONOTONIC, until);
}

// Opens a path as a place only. O_PATH has a name without underscores only under _GNU_SOURCE.
// With `mounts`, a folder that is to be mounted automatically is mounted, which O_PATH alone does not do.
static inline int CLinux_openPlace(int folder, const char *path, int mounts) {
    if (mounts) {
        int opened = openat(folder, path, __O_PATH | O_CLOEXEC | O_DIRECTORY);
        if (opened >= 0 || errno != ENOTDIR) return opened;
    }
    return openat(folder, path, __O_PATH | O_CLOEXEC);
}
#endif
