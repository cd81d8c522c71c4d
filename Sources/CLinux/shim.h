// What the C library of Debian has and Swift's overlay does not import.
#ifndef TONEARM_CLINUX_SHIM_H
#define TONEARM_CLINUX_SHIM_H
#include <netinet/in.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>
// Swift's Glibc module leaves these two headers out.
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <link.h>
#include <string.h>

// pthread_setname_np is declared only under _GNU_SOURCE, which Swift's Glibc module map does not set.
extern int pthread_setname_np(pthread_t thread, const char *name);
static inline int CLinux_setCurrentThreadName(const char *name) {
    return pthread_setname_np(pthread_self(), name);
}

// sem_clockwait is declared only under _GNU_SOURCE.
extern int sem_clockwait(sem_t *semaphore, clockid_t clock, const struct timespec *until);
static inline int CLinux_waitMonotonic(sem_t *semaphore, const struct timespec *until) {
    return sem_clockwait(semaphore, CLOCK_MONOTONIC, until);
}

// What the kernel knows of a TCP connection. glibc's struct tcp_info ends before these members, and <linux/tcp.h> declares the same name again: their
// offsets are those of the kernel's interface (the last of them since Linux 4.6).
struct CLinux_Traffic {
    /// Whether bytes can still be sent: neither end has closed, or the other one only for its own bytes.
    int isWritable;
    uint64_t bytesReceived;
    uint32_t dataSegmentsSent;
    uint32_t bytesUnsent;
};
static inline int CLinux_traffic(int socket, struct CLinux_Traffic *traffic) {
    enum { tcpInfo = 11, established = 1, closeWait = 8, bytesReceived = 128, bytesUnsent = 144, dataSegmentsSent = 156, end = 160 };
    unsigned char info[end];
    socklen_t size = sizeof info;
    if (getsockopt(socket, IPPROTO_TCP, tcpInfo, info, &size) != 0 || size < sizeof info) return -1;
    traffic->isWritable = info[0] == established || info[0] == closeWait;
    memcpy(&traffic->bytesReceived, info + bytesReceived, sizeof traffic->bytesReceived);
    memcpy(&traffic->bytesUnsent, info + bytesUnsent, sizeof traffic->bytesUnsent);
    memcpy(&traffic->dataSegmentsSent, info + dataSegmentsSent, sizeof traffic->dataSegmentsSent);
    return 0;
}

// dl_iterate_phdr and what it hands over are declared only under _GNU_SOURCE. Later C libraries add members behind these.
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
