#define _GNU_SOURCE
#include "latedisk.h"

#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static unsigned long seed, longest, deadly;
static atomic_ulong steps;

__attribute__((constructor)) static void read_environment(void) {
    const char *text = getenv("WOODSHED_LATE_DISK");
    if (text) sscanf(text, "%lu,%lu,%lu", &seed, &longest, &deadly);
}

/* A pseudorandom number, the same whenever the step and the seed are the same. */
static unsigned long drawn(unsigned long step) {
    unsigned long value = seed * 0x9E3779B97F4A7C15 + step;
    value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9;
    value = (value ^ (value >> 27)) * 0x94D049BB133111EB;
    return value ^ (value >> 31);
}

static void wait_some(unsigned long milliseconds) {
    struct timespec rest = {milliseconds / 1000, milliseconds % 1000 * 1000000};
    while (nanosleep(&rest, &rest) != 0 && errno == EINTR) {}
}

/* Half of the steps are not delayed. The others are delayed before or after they run. */
static unsigned long before(void) {
    unsigned long step = atomic_fetch_add(&steps, 1) + 1, chance = drawn(step);
    if (longest && chance % 4 == 0) wait_some((chance >> 8) % (longest + 1));
    if (step == deadly && (chance >> 4) % 2 == 0) kill(getpid(), SIGKILL);
    return step;
}

static void after(unsigned long step) {
    int code = errno;
    unsigned long chance = drawn(step);
    if (step == deadly) kill(getpid(), SIGKILL);
    if (longest && chance % 4 == 1) wait_some((chance >> 8) % (longest + 1));
    errno = code;
}

#define LATE(result, name, parameters, ...) \
    result name parameters { \
        static result (*real) parameters; \
        if (!real) real = (result (*) parameters)dlsym(RTLD_NEXT, #name); \
        unsigned long step = before(); \
        result code = real(__VA_ARGS__); \
        after(step); \
        return code; \
    }

LATE(int, fsync, (int file), file)
LATE(int, fdatasync, (int file), file)
LATE(int, rename, (const char *from, const char *to), from, to)
LATE(int, renameat2, (int from, const char *name, int to, const char *target, unsigned flags), from, name, to, target, flags)
LATE(int, linkat, (int from, const char *name, int to, const char *target, int flags), from, name, to, target, flags)
