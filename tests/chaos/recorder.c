/* Records what a program writes to its database files and when a sync ended: power_loss.py replays it.
 *
 * Preloaded into the process. Every pwrite, write, ftruncate, fsync and unlink of a file whose name begins with
 * RECORDER_FILES is executed, then appended to RECORDER_TRACE: a header of fixed size, then the bytes.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum { WRITE = 1, TRUNCATE = 2, SYNC = 3, UNLINK = 4 };
struct head {
    uint64_t begun, ended, kind, offset, length;
    char name[216];
};

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static int trace = -1;
static const char *recorded;
static ssize_t (*real_write)(int, const void *, size_t);
static ssize_t (*real_pwrite)(int, const void *, size_t, off64_t);
static int (*real_truncate)(int, off64_t);
static int (*real_fsync)(int);
static int (*real_fdatasync)(int);
static int (*real_unlink)(const char *);

__attribute__((constructor)) static void begin(void) {
    real_write = dlsym(RTLD_NEXT, "write");
    real_pwrite = dlsym(RTLD_NEXT, "pwrite64");
    real_truncate = dlsym(RTLD_NEXT, "ftruncate64");
    real_fsync = dlsym(RTLD_NEXT, "fsync");
    real_fdatasync = dlsym(RTLD_NEXT, "fdatasync");
    real_unlink = dlsym(RTLD_NEXT, "unlink");
    recorded = getenv("RECORDER_FILES");
    const char *path = getenv("RECORDER_TRACE");
    if (recorded && path) trace = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

static uint64_t now(void) {
    struct timespec it;
    clock_gettime(CLOCK_MONOTONIC, &it);
    return (uint64_t)it.tv_sec * 1000000000u + (uint64_t)it.tv_nsec;
}

/* SQLite rebuilds the -shm file after a crash. */
static int is_ours(const char *name) {
    size_t length = strlen(name);
    int is_shm = length > 4 && !strcmp(name + length - 4, "-shm");
    return trace >= 0 && !strncmp(name, recorded, strlen(recorded)) && !is_shm;
}

static int name_of(int fd, char *name) {
    char link[64] = "/proc/self/fd/";
    char digits[16];
    int at = 0, n = fd;
    do digits[at++] = (char)('0' + n % 10); while (n /= 10);
    char *end = link + strlen(link);
    while (at) *end++ = digits[--at];
    *end = 0;
    ssize_t length = readlink(link, name, 215);
    if (length <= 0) return 0;
    name[length] = 0;
    return is_ours(name);
}

static void note(uint64_t begun, uint64_t kind, const char *name, uint64_t offset, const void *bytes, uint64_t length) {
    struct head head = {.begun = begun, .ended = now(), .kind = kind, .offset = offset, .length = bytes ? length : 0};
    if (!bytes) head.offset = offset;
    strncpy(head.name, name, sizeof head.name - 1);
    struct iovec parts[2] = {{&head, sizeof head}, {(void *)bytes, head.length}};
    pthread_mutex_lock(&turn);
    if (writev(trace, parts, head.length ? 2 : 1) < 0) abort();
    pthread_mutex_unlock(&turn);
}

ssize_t pwrite64(int fd, const void *bytes, size_t length, off64_t offset) {
    char name[216];
    uint64_t begun = now();
    ssize_t done = real_pwrite(fd, bytes, length, offset);
    if (done > 0 && trace >= 0 && name_of(fd, name)) note(begun, WRITE, name, (uint64_t)offset, bytes, (uint64_t)done);
    return done;
}
ssize_t pwrite(int fd, const void *bytes, size_t length, off_t offset) { return pwrite64(fd, bytes, length, offset); }

ssize_t write(int fd, const void *bytes, size_t length) {
    char name[216];
    int ours = trace >= 0 && fd != trace && name_of(fd, name);
    off64_t offset = ours ? lseek64(fd, 0, SEEK_CUR) : 0;
    uint64_t begun = now();
    ssize_t done = real_write(fd, bytes, length);
    if (done > 0 && ours) note(begun, WRITE, name, (uint64_t)offset, bytes, (uint64_t)done);
    return done;
}

int ftruncate64(int fd, off64_t length) {
    char name[216];
    uint64_t begun = now();
    int done = real_truncate(fd, length);
    if (!done && trace >= 0 && name_of(fd, name)) note(begun, TRUNCATE, name, (uint64_t)length, NULL, 0);
    return done;
}
int ftruncate(int fd, off_t length) { return ftruncate64(fd, length); }

static int synced(int fd, int (*really)(int)) {
    char name[216];
    uint64_t begun = now();
    int done = really(fd);
    if (!done && trace >= 0 && name_of(fd, name)) note(begun, SYNC, name, 0, NULL, 0);
    return done;
}
int fsync(int fd) { return synced(fd, real_fsync); }
int fdatasync(int fd) { return synced(fd, real_fdatasync); }

int unlink(const char *path) {
    uint64_t begun = now();
    int done = real_unlink(path);
    if (!done && trace >= 0 && is_ours(path)) note(begun, UNLINK, path, 0, NULL, 0);
    return done;
}
