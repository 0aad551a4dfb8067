#pragma once
#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Calls that Swift's Glibc module omits because they need _GNU_SOURCE, are variadic, or are in a header that it does not include. Unless
 * its comment states otherwise, each function returns what the system call returns: -1 with errno on failure. */

int woodshed_eventfd(void);
int woodshed_timerfd(void);
/* Sets the timer to an absolute CLOCK_BOOTTIME instant; a past instant fires immediately, 0 disarms the timer. */
int woodshed_timerfd_set(int fd, int64_t nanoseconds);
/* A descriptor that becomes readable when the wall clock is set, which also happens when the machine wakes up; -1 on failure. */
int woodshed_clock_change_timer(void);
/* Consumes the event and arms the timer for the next one; returns 1 if the clock was set, otherwise 0. */
int woodshed_clock_change_read(int fd);
/* A socket that reports changed routes, or -1. */
int woodshed_route_socket(void);
int woodshed_signalfd(const sigset_t *signals);
/* The number of the next pending signal, or -1. */
int woodshed_signalfd_read(int fd);
int woodshed_pidfd_open(pid_t pid);

enum { WOODSHED_EPOLL_IN = 1, WOODSHED_EPOLL_PRI = 2, WOODSHED_EPOLL_OUT = 4 };
struct woodshed_epoll_event {
  uint32_t events;
  uint64_t token;
};
int woodshed_epoll_create(void);
int woodshed_epoll_add(int epoll, int fd, uint32_t events, uint64_t token);
int woodshed_epoll_change(int epoll, int fd, uint32_t events, uint64_t token);
int woodshed_epoll_remove(int epoll, int fd);
/* Waits at most this many milliseconds, for ever if -1; writes at most `capacity` events, and never more than 64. */
int woodshed_epoll_wait(int epoll, struct woodshed_epoll_event *events, int capacity, int milliseconds);

/* A pair of connected message sockets, close-on-exec. */
int woodshed_message_socket_pair(int fds[2]);
/* Sends one message with at most 16 descriptors attached (EINVAL for more); never raises SIGPIPE. */
ssize_t woodshed_send_message(int fd, const void *bytes, size_t count, const int *descriptors, int descriptor_count);
/* Receives one message; *descriptor_count is the room for descriptors on entry, and the number received on return. Further descriptors are
 * closed. Fails with EMSGSIZE if the message was cut short. */
ssize_t woodshed_receive_message(int fd, void *bytes, size_t capacity, int *descriptors, int *descriptor_count);
/* The process and the user at the other end of a connected Unix socket: returns 0, or -1. */
int woodshed_peer(int fd, pid_t *pid, uid_t *uid);
/* An anonymous file in memory, close-on-exec. */
int woodshed_memory_file(const char *name);

int woodshed_close_descriptors_from(posix_spawn_file_actions_t *actions, int first);
int woodshed_die_with_parent(void);
int woodshed_no_new_privileges(void);
int woodshed_name_this_thread(const char *name);
/* Sets the soft limit of another process's resource, at most to its hard limit, which stays unchanged. */
int woodshed_limit_process(pid_t pid, int resource, uint64_t value);
/* Gives the calling process idle CPU scheduling and idle I/O priority, if possible. */
void woodshed_run_in_background(void);
int woodshed_touch(int directory, const char *name);
/* Opens a new unnamed file in this folder, close-on-exec; -1 if the file system does not support that. */
int woodshed_unnamed_file(const char *folder, uint32_t mode);
/* When a file was created, in nanoseconds since 1970; 0 if the file system does not record that. */
int64_t woodshed_birth_time(int fd);
/* Renames only if the new name is free; EINVAL or ENOSYS if the file system cannot do that. */
int woodshed_rename_to_free(const char *path, const char *target);
/* Swaps two names atomically; EINVAL or ENOSYS if the file system cannot do that. */
int woodshed_exchange(const char *path, const char *other);
/* Writes the next entries of an open folder, each a struct dirent; returns their size in bytes, 0 after the last one. */
ssize_t woodshed_list_folder(int folder, void *entries, size_t capacity);
/* Closes every descriptor from this one on. */
void woodshed_close_all_from(int first);

/* The version of landlock that the kernel supports, or -1. */
int woodshed_landlock_version(void);
/* From now on, this process can open for reading only these files and those in these folders. It can change no files; on newer
 * kernels it can use no network and signal no process outside its sandbox. Missing paths are skipped. */
int woodshed_landlock_read_only(const char *const *paths, int count);

/* Keeps freed memory, which would otherwise be returned page by page and faulted in again for the next page of music. */
void woodshed_keep_memory(void);
/* Gives the memory kept by woodshed_keep_memory back to the system. */
void woodshed_give_memory_back(void);

/* To check a sandbox: each function tries something that a sandboxed process must not be able to do, and returns what the system call
 * returns. */
int woodshed_try_fork(void);
int woodshed_try_trace(pid_t pid);
int woodshed_try_executable_memory(void);
