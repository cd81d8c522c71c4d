// Declarations of Debian's C library that Swift's module Glibc does not contain.
#ifndef TONEARM_CLINUX_SHIM_H
#define TONEARM_CLINUX_SHIM_H
#include <pthread.h>
#include <semaphore.h>
#include <time.h>
// The headers of epoll, eventfd, the dynamic linker and malloc.
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <link.h>
#include <malloc.h>

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

// dl_iterate_phdr and dl_phdr_info are declared only under _GNU_SOURCE. The C library's dl_phdr_info has further members after these four.
#ifndef __USE_GNU
struct dl_phdr_info {
    ElfW(Addr) dlpi_addr;
    const char *dlpi_name;
    const ElfW(Phdr) *dlpi_phdr;
    ElfW(Half) dlpi_phnum;
};
extern int dl_iterate_phdr(int (*callback)(struct dl_phdr_info *info, size_t size, void *data), void *data);
#endif
#endif
