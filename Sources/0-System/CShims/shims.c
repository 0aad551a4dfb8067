#define _GNU_SOURCE
#include "CShims.h"

#include <dirent.h>
#include <errno.h>
#include <linux/landlock.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <malloc.h>
#include <sched.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <fcntl.h>
#include <unistd.h>

int woodshed_eventfd(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

int woodshed_timerfd(void) { return timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK); }

int woodshed_timerfd_set(int fd, int64_t nanoseconds) {
  struct itimerspec when = {
      .it_value = {.tv_sec = nanoseconds / 1000000000, .tv_nsec = nanoseconds % 1000000000}};
  return timerfd_settime(fd, TFD_TIMER_ABSTIME, &when, NULL);
}

static int arm_clock_change(int fd) {
  /* So far in the future that the timer never fires by itself: only setting the clock wakes it. */
  struct itimerspec never = {.it_value = {.tv_sec = (time_t)1 << 40}};
  return timerfd_settime(fd, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &never, NULL);
}

int woodshed_clock_change_timer(void) {
  int fd = timerfd_create(CLOCK_REALTIME, TFD_CLOEXEC | TFD_NONBLOCK);
  if (fd >= 0 && arm_clock_change(fd) != 0 && errno != ECANCELED) {
    close(fd);
    return -1;
  }
  return fd;
}

int woodshed_clock_change_read(int fd) {
  uint64_t count;
  int was_set = read(fd, &count, sizeof count) < 0 && errno == ECANCELED;
  if (was_set) arm_clock_change(fd);
  return was_set;
}

int woodshed_route_socket(void) {
  int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE);
  /* Do not subscribe to links, since a radio reports changes of its own link all the time. */
  struct sockaddr_nl address = {.nl_family = AF_NETLINK, .nl_groups = RTMGRP_IPV4_ROUTE | RTMGRP_IPV6_ROUTE};
  if (fd >= 0 && bind(fd, (struct sockaddr *)&address, sizeof address) != 0) {
    close(fd);
    return -1;
  }
  return fd;
}

int woodshed_signalfd(const sigset_t *signals) { return signalfd(-1, signals, SFD_CLOEXEC | SFD_NONBLOCK); }

int woodshed_signalfd_read(int fd) {
  struct signalfd_siginfo info;
  return read(fd, &info, sizeof info) == sizeof info ? (int)info.ssi_signo : -1;
}

int woodshed_pidfd_open(pid_t pid) { return (int)syscall(SYS_pidfd_open, pid, 0); }

int woodshed_epoll_create(void) { return epoll_create1(EPOLL_CLOEXEC); }

static int control(int epoll, int operation, int fd, uint32_t events, uint64_t token) {
  struct epoll_event event = {.events = events, .data.u64 = token};
  return epoll_ctl(epoll, operation, fd, &event);
}
int woodshed_epoll_add(int epoll, int fd, uint32_t events, uint64_t token) {
  return control(epoll, EPOLL_CTL_ADD, fd, events, token);
}
int woodshed_epoll_change(int epoll, int fd, uint32_t events, uint64_t token) {
  return control(epoll, EPOLL_CTL_MOD, fd, events, token);
}
int woodshed_epoll_remove(int epoll, int fd) { return epoll_ctl(epoll, EPOLL_CTL_DEL, fd, NULL); }

int woodshed_epoll_wait(int epoll, struct woodshed_epoll_event *events, int capacity, int milliseconds) {
  struct epoll_event raw[64];
  int count = epoll_wait(epoll, raw, capacity < 64 ? capacity : 64, milliseconds);
  for (int i = 0; i < count; i++) {
    /* A hang-up or an error concerns readers and writers alike. */
    uint32_t seen = raw[i].events;
    if (seen & (EPOLLHUP | EPOLLERR | EPOLLRDHUP)) seen |= EPOLLIN | EPOLLOUT;
    events[i].events = seen & (EPOLLIN | EPOLLPRI | EPOLLOUT);
    events[i].token = raw[i].data.u64;
  }
  return count;
}

int woodshed_message_socket_pair(int fds[2]) {
  return socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds);
}

enum { MOST_DESCRIPTORS = 16 };

ssize_t woodshed_send_message(int fd, const void *bytes, size_t count, const int *descriptors, int descriptor_count) {
  if (descriptor_count > MOST_DESCRIPTORS) {
    errno = EINVAL;
    return -1;
  }
  union {
    char room[CMSG_SPACE(sizeof(int) * MOST_DESCRIPTORS)];
    struct cmsghdr align;
  } control_data;
  memset(&control_data, 0, sizeof control_data);
  struct iovec part = {.iov_base = (void *)bytes, .iov_len = count};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
  if (descriptor_count > 0) {
    message.msg_control = control_data.room;
    message.msg_controllen = CMSG_SPACE(sizeof(int) * (size_t)descriptor_count);
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int) * (size_t)descriptor_count);
    memcpy(CMSG_DATA(header), descriptors, sizeof(int) * (size_t)descriptor_count);
  }
  return sendmsg(fd, &message, MSG_NOSIGNAL);
}

ssize_t woodshed_receive_message(int fd, void *bytes, size_t capacity, int *descriptors, int *descriptor_count) {
  union {
    char room[CMSG_SPACE(sizeof(int) * MOST_DESCRIPTORS)];
    struct cmsghdr align;
  } control_data;
  struct iovec part = {.iov_base = bytes, .iov_len = capacity};
  struct msghdr message = {.msg_iov = &part,
                           .msg_iovlen = 1,
                           .msg_control = control_data.room,
                           .msg_controllen = sizeof control_data.room};
  int room = *descriptor_count;
  *descriptor_count = 0;
  ssize_t count = recvmsg(fd, &message, MSG_CMSG_CLOEXEC);
  if (count < 0) return count;
  for (struct cmsghdr *header = CMSG_FIRSTHDR(&message); header; header = CMSG_NXTHDR(&message, header)) {
    if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
    int got = (int)((header->cmsg_len - CMSG_LEN(0)) / sizeof(int));
    for (int i = 0; i < got; i++) {
      int each;
      memcpy(&each, CMSG_DATA(header) + sizeof(int) * (size_t)i, sizeof(int));
      if (*descriptor_count < room)
        descriptors[(*descriptor_count)++] = each;
      else
        close(each);
    }
  }
  if (message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) {
    for (int i = 0; i < *descriptor_count; i++) close(descriptors[i]);
    *descriptor_count = 0;
    errno = EMSGSIZE;
    return -1;
  }
  return count;
}

int woodshed_peer(int fd, pid_t *pid, uid_t *uid) {
  struct ucred peer;
  socklen_t size = sizeof peer;
  if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return -1;
  *pid = peer.pid;
  *uid = peer.uid;
  return 0;
}

int woodshed_memory_file(const char *name) { return memfd_create(name, MFD_CLOEXEC); }

int woodshed_close_descriptors_from(posix_spawn_file_actions_t *actions, int first) {
  return posix_spawn_file_actions_addclosefrom_np(actions, first);
}

int woodshed_die_with_parent(void) { return prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0); }
int woodshed_no_new_privileges(void) { return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); }
int woodshed_name_this_thread(const char *name) { return prctl(PR_SET_NAME, name, 0, 0, 0); }

int woodshed_limit_process(pid_t pid, int resource, uint64_t value) {
  struct rlimit limit = {.rlim_cur = value, .rlim_max = RLIM_INFINITY};
  struct rlimit old;
  if (prlimit(pid, resource, NULL, &old) != 0) return -1;
  limit.rlim_max = old.rlim_max;
  if (limit.rlim_cur > limit.rlim_max) limit.rlim_cur = limit.rlim_max;
  return prlimit(pid, resource, &limit, NULL);
}

void woodshed_run_in_background(void) {
  struct sched_param none = {0};
  sched_setscheduler(0, SCHED_IDLE, &none);
  /* ioprio_set(IOPRIO_WHO_PROCESS, self, IOPRIO_CLASS_IDLE << 13); glibc has no wrapper. */
  syscall(SYS_ioprio_set, 1, 0, 3 << 13);
}

int woodshed_unnamed_file(const char *folder, uint32_t mode) { return open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, mode); }

int64_t woodshed_birth_time(int fd) {
  struct statx status;
  if (statx(fd, "", AT_EMPTY_PATH, STATX_BTIME, &status) != 0 || !(status.stx_mask & STATX_BTIME)) return 0;
  return status.stx_btime.tv_sec * INT64_C(1000000000) + status.stx_btime.tv_nsec;
}

int woodshed_rename_to_free(const char *path, const char *target) {
  return renameat2(AT_FDCWD, path, AT_FDCWD, target, RENAME_NOREPLACE);
}
int woodshed_exchange(const char *path, const char *other) {
  return renameat2(AT_FDCWD, path, AT_FDCWD, other, RENAME_EXCHANGE);
}

int woodshed_touch(int directory, const char *name) { return utimensat(directory, name, NULL, AT_SYMLINK_NOFOLLOW); }

ssize_t woodshed_list_folder(int folder, void *entries, size_t capacity) { return getdents64(folder, entries, capacity); }

void woodshed_close_all_from(int first) { close_range((unsigned)first, ~0u, 0); }

int woodshed_landlock_version(void) {
  return (int)syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
}

int woodshed_landlock_read_only(const char *const *paths, int count) {
  /* Rights and scopes by the version that introduced them; older kernels' headers lack the newer ones. */
  struct {
    uint64_t files, network, scopes;
  } handled = {.files = (1 << 13) - 1};
  int version = woodshed_landlock_version();
  if (version < 1) return -1;
  if (version >= 2) handled.files |= 1 << 13; /* linking across folders */
  if (version >= 3) handled.files |= 1 << 14; /* truncating */
  if (version >= 4) handled.network = 3;      /* binding and connecting TCP */
  if (version >= 5) handled.files |= 1 << 15; /* ioctl on devices */
  if (version >= 6) handled.scopes = 3;       /* abstract sockets and signals of others */
  size_t size = version >= 6 ? sizeof handled : version >= 4 ? 16 : 8;
  int rules = (int)syscall(SYS_landlock_create_ruleset, &handled, size, 0);
  if (rules < 0) return -1;
  for (int i = 0; i < count; i++) {
    struct landlock_path_beneath_attr rule = {
        .allowed_access = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR,
        .parent_fd = open(paths[i], O_PATH | O_CLOEXEC),
    };
    if (rule.parent_fd < 0) continue;
    struct stat status;
    if (fstat(rule.parent_fd, &status) == 0 && !S_ISDIR(status.st_mode)) rule.allowed_access = LANDLOCK_ACCESS_FS_READ_FILE;
    syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
    close(rule.parent_fd);
  }
  int result = (int)syscall(SYS_landlock_restrict_self, rules, 0);
  close(rules);
  return result;
}

void woodshed_keep_memory(void) {
  /* Keep freed memory: a raster of 21 MB in fresh memory pages costs 11 to 16 ms in page faults alone. */
  mallopt(M_MMAP_THRESHOLD, 1 << 30);
  mallopt(M_TRIM_THRESHOLD, 0x7fffffff);
  mallopt(M_TOP_PAD, 4 << 20);
  mallopt(M_ARENA_MAX, 1);
}

void woodshed_give_memory_back(void) { malloc_trim(0); }

int woodshed_try_fork(void) {
  pid_t pid = fork();
  if (pid == 0) _exit(0);
  return pid;
}

int woodshed_try_trace(pid_t pid) { return (int)ptrace(PTRACE_ATTACH, pid, NULL, NULL); }

int woodshed_try_executable_memory(void) {
  return mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED ? -1 : 0;
}
