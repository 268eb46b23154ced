/* A clock that is an hour ahead, preloaded into one process; all others have the right time. */
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t clock, struct timespec *it) {
    int failed = (int)syscall(SYS_clock_gettime, clock, it);
    if (!failed && clock == CLOCK_REALTIME) it->tv_sec += 3600;
    return failed;
}
