import CSeccomp
import Glibc

/// The system calls that drawing needs. All others answer "permission denied": libraries try things that they can do without, such as
/// making a folder for a cache, and go on when refused.
enum SystemCallFilter {
    private typealias Condition = scmp_arg_cmp

    // In the header, these values are macros that Swift does not import.
    private static let allow: UInt32 = 0x7fff_0000
    private static func refuse(_ code: Int32) -> UInt32 { 0x0005_0000 | UInt32(code) }

    /// Loads the filter for good, for this thread and those that it starts; answers whether the kernel accepted it.
    static func load() -> Bool {
        guard let filter = seccomp_init(refuse(EACCES)) else { return false }
        defer { seccomp_release(filter) }
        func rule(_ action: UInt32, _ name: String, _ conditions: [Condition] = []) {
            // A call that this machine's kernel does not have needs no rule; if a rule fails, the call stays refused.
            _ = seccomp_rule_add_array(filter, action, seccomp_syscall_resolve_name(name), UInt32(conditions.count), conditions)
        }
        for name in harmless { rule(allow, name) }
        // Files are opened only for reading; those that are written were opened by the parent.
        let opening = scmp_datum_t(O_ACCMODE | O_CREAT | O_TRUNC)
        rule(allow, "open", [masked(1, opening, 0)])
        rule(allow, "openat", [masked(2, opening, 0)])
        // No new code can come into being: nothing is compiled or loaded here while it runs.
        for name in ["mmap", "mprotect"] { rule(allow, name, [masked(2, scmp_datum_t(PROT_EXEC), 0)]) }
        // Threads are allowed, processes are not. The filter cannot see the flags of the newer call; with this error, the C library falls
        // back to the older one.
        rule(allow, "clone", [masked(0, 0x10000, 0x10000)])
        rule(refuse(ENOSYS), "clone3")
        // Messages are exchanged only with the parent.
        for name in ["recvmsg", "sendmsg"] { rule(allow, name, [equal(0, scmp_datum_t(WorkerProgram.socket))]) }
        for command in [F_GETFD, F_SETFD, F_GETFL, F_DUPFD, F_DUPFD_CLOEXEC] { rule(allow, "fcntl", [equal(1, scmp_datum_t(command))]) }
        // The names of threads, and of memory.
        for option: scmp_datum_t in [15, 0x5356_4d41] { rule(allow, "prctl", [equal(0, option)]) }
        // It may read its own limits, and abort only itself.
        rule(allow, "prlimit64", [equal(0, 0), equal(2, 0)])
        rule(allow, "tgkill", [equal(0, scmp_datum_t(getpid()))])
        return seccomp_load(filter) == 0
    }

    private static func equal(_ argument: UInt32, _ value: scmp_datum_t) -> Condition {
        Condition(arg: argument, op: SCMP_CMP_EQ, datum_a: value, datum_b: 0)
    }

    private static func masked(_ argument: UInt32, _ mask: scmp_datum_t, _ value: scmp_datum_t) -> Condition {
        Condition(arg: argument, op: SCMP_CMP_MASKED_EQ, datum_a: mask, datum_b: value)
    }

    private static let harmless = [
        // Files that are open.
        "read", "readv", "pread64", "preadv", "write", "writev", "pwrite64", "pwritev", "lseek", "ftruncate", "fallocate", "fadvise64",
        "close", "dup", "fstat", "fstatfs", "getdents", "getdents64", "poll", "ppoll",
        // Which files exist; landlock decides which of them can be read.
        "stat", "lstat", "statx", "statfs", "newfstatat", "getcwd", "access", "faccessat", "faccessat2", "readlink", "readlinkat",
        // Memory and threads.
        "munmap", "mremap", "madvise", "brk", "futex", "set_robust_list", "set_tid_address", "rseq", "membarrier", "sched_yield",
        "sched_getaffinity", "getcpu", "exit", "exit_group",
        // Signals to itself.
        "rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "sigaltstack", "restart_syscall",
        // Time, randomness and its own identity.
        "clock_gettime", "clock_getres", "clock_nanosleep", "nanosleep", "gettimeofday", "time", "times", "getrusage", "getrlimit",
        "getrandom", "getpid", "gettid", "getppid", "getuid", "geteuid", "getgid", "getegid", "uname", "sysinfo",
    ]
}
