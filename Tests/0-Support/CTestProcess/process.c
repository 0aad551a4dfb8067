#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

// By default, the test runner records a backtrace for every error that is thrown. Many tests throw errors, so the backtraces would take a
// fifth of the run's time. A value set by the user is kept.
__attribute__((constructor)) static void leave_stacks_alone(void) { setenv("SWT_SWIFT_ERROR_BACKTRACING_ENABLED", "0", 0); }

static void *end_when_it_ends(void *starter) {
    struct pollfd end = {.fd = (int)(intptr_t)starter, .events = POLLIN};
    while (poll(&end, 1, -1) < 0 && errno == EINTR) continue;
    _exit(1);
}

// Ends this process when the process that started it ends, and with it all agents and browsers, which are tied to this process. A
// parent-death signal would come too early: the kernel sends it when the thread that started this process ends.
__attribute__((constructor)) static void end_with_the_runner(void) {
    int starter = (int)syscall(SYS_pidfd_open, getppid(), 0);
    pthread_t thread;
    if (starter < 0 || pthread_create(&thread, NULL, end_when_it_ends, (void *)(intptr_t)starter) != 0) return;
    pthread_detach(thread);
}
