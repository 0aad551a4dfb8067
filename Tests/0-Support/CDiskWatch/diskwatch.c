#define _GNU_SOURCE
#include "diskwatch.h"

#include <dlfcn.h>
#include <stddef.h>

/* Each thread has a watcher of its own, so tests on other threads are neither watched nor delayed. */
static _Thread_local void (*watcher)(void *, int);
static _Thread_local void *watched;

void woodshed_disk_watch(void (*seen)(void *, int), void *context) {
  watcher = seen;
  watched = context;
}

/* Replaces the system's fsync in this program, to call the watcher before each flush. */
int fsync(int fd) {
  static int (*real)(int);
  if (real == NULL) real = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
  if (watcher != NULL) watcher(watched, fd);
  return real(fd);
}
