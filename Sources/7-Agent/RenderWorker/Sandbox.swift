import CSeccomp
import CShims
import Glibc
import Model

/// The walls around a worker, put up before it reads a byte of a PDF: it can read fonts and the files passed to it, write to files
/// passed for writing, and do nothing else.
enum Sandbox {
    /// The walls, by the names with which tests leave one out.
    enum Wall: String, Hashable, CaseIterable {
        /// The kernel's restrictions on files.
        case landlock
        /// The list of system calls that are allowed.
        case filter
    }

    /// Puts up all walls that the kernel offers, for good; returns what is missing.
    ///
    /// Both walls restrict the calling thread and threads that it starts later, so no other thread may exist at this time.
    static func enter(without omitted: Set<Wall> = []) -> [SandboxGap] {
        // A program could gain privileges by starting another; then even the kernel's rules would not hold.
        let isBound = woodshed_no_new_privileges() == 0
        let landlock = omitted.contains(.landlock) ? nil : hideFiles()
        // Last, since it forbids the calls that put up the other wall.
        let hasFilter = isBound && !omitted.contains(.filter) && SystemCallFilter.load()
        return gaps(landlock: landlock, hasFilter: hasFilter)
    }

    /// Hides all files but fonts. Returns the version of landlock in force; `nil` if it could not be put in force.
    private static func hideFiles() -> Int? {
        let version = Int(woodshed_landlock_version())
        var paths = FontPaths.all { name in getenv(name).map { String(cString: $0) } }.map { UnsafePointer(strdup($0)) }
        defer { for path in paths { free(UnsafeMutablePointer(mutating: path)) } }
        return woodshed_landlock_read_only(&paths, Int32(paths.count)) == 0 ? version : nil
    }

    /// What the walls in force leave open: `landlock` is the version in force, if any, and `hasFilter` whether the filter is. The
    /// filter covers what an old landlock leaves open.
    static func gaps(landlock: Int?, hasFilter: Bool) -> [SandboxGap] {
        var gaps: [SandboxGap] = []
        if landlock == nil { gaps.append(.noLandlock) }
        if !hasFilter {
            gaps.append(.noFilter)
            if landlock ?? 0 < 4 { gaps.append(.openNetwork) }
        }
        return gaps
    }
}

/// The system calls that drawing needs. All others fail with "permission denied": libraries try things that they can do without, such as
/// making a folder for a cache, and go on when refused.
enum SystemCallFilter {
    private typealias Condition = scmp_arg_cmp

    // In the header, these values are macros that Swift does not import.
    private static let allow: UInt32 = 0x7fff_0000
    private static func refuse(_ code: Int32) -> UInt32 { 0x0005_0000 | UInt32(code) }

    /// Loads the filter for good, for this thread and those that it starts; returns whether the kernel accepted it.
    static func load() -> Bool {
        guard let filter = seccomp_init(refuse(EACCES)) else { return false }
        defer { seccomp_release(filter) }
        func rule(_ action: UInt32, _ name: String, _ conditions: [Condition] = []) {
            // A call that this machine's kernel does not have needs no rule; if a rule fails, the call stays refused.
            _ = seccomp_rule_add_array(filter, action, seccomp_syscall_resolve_name(name), UInt32(conditions.count), conditions)
        }
        for name in harmless { rule(allow, name) }
        // Files are opened only for reading; the parent has opened those for writing.
        let opening = scmp_datum_t(O_ACCMODE | O_CREAT | O_TRUNC)
        rule(allow, "open", [masked(1, opening, 0)])
        rule(allow, "openat", [masked(2, opening, 0)])
        // No memory can become executable: the worker compiles and loads no code while it runs.
        for name in ["mmap", "mprotect"] { rule(allow, name, [masked(2, scmp_datum_t(PROT_EXEC), 0)]) }
        // Threads are allowed, processes are not. The filter cannot see the flags of `clone3`; with ENOSYS, the C library falls back to
        // `clone`.
        rule(allow, "clone", [masked(0, 0x10000, 0x10000)])
        rule(refuse(ENOSYS), "clone3")
        // Messages are exchanged only with the parent.
        for name in ["recvmsg", "sendmsg"] { rule(allow, name, [equal(0, scmp_datum_t(WorkerProgram.socket))]) }
        for command in [F_GETFD, F_SETFD, F_GETFL, F_DUPFD, F_DUPFD_CLOEXEC] { rule(allow, "fcntl", [equal(1, scmp_datum_t(command))]) }
        // Setting the names of threads, and of areas of memory.
        for option: scmp_datum_t in [15, 0x5356_4d41] { rule(allow, "prctl", [equal(0, option)]) }
        // The worker may read its own limits, and send signals only to itself.
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

/// The folders of fonts, their configuration and poppler's tables: all that a worker may open by itself.
enum FontPaths {
    private static let system = [
        "/usr/share/fonts", "/usr/local/share/fonts", "/usr/share/texmf/fonts", "/usr/share/texlive/texmf-dist/fonts", "/etc/fonts",
        "/usr/share/fontconfig", "/usr/share/xml/fontconfig", "/var/cache/fontconfig", "/usr/share/poppler",
        // Pango needs it to break lines of Thai.
        "/usr/share/libthai",
    ]

    /// Folders that fontconfig's rules name but that are not among `paths`: the fonts in them are not used.
    static func gaps(named folders: [String], within paths: [String]) -> [SandboxGap] {
        func isBelow(_ folder: String, _ others: [String]) -> Bool { others.contains { folder.hasPrefix($0 + "/") } }
        return folders.filter { !paths.contains($0) && !isBelow($0, paths) && !isBelow($0, folders) }.map { .fonts(inFolder: $0) }
    }

    /// All of these paths, whether they exist or not, as the environment sets them.
    static func all(environment: (String) -> String?) -> [String] {
        func value(_ name: String) -> String? { environment(name).flatMap { $0.hasPrefix("/") ? $0 : nil } }
        var paths = system
        let home = value("HOME")
        if let home { paths += ["/.fonts", "/.fonts.conf", "/.fonts.conf.d", "/.fontconfig"].map { home + $0 } }
        for (variable, usual, place) in [
            ("XDG_DATA_HOME", "/.local/share", "/fonts"), ("XDG_CACHE_HOME", "/.cache", "/fontconfig"),
            ("XDG_CONFIG_HOME", "/.config", "/fontconfig"),
        ] {
            if let base = value(variable) ?? home.map({ $0 + usual }) { paths.append(base + place) }
        }
        paths += (environment("FONTCONFIG_PATH") ?? "").split(separator: ":").map(String.init)
        if let file = environment("FONTCONFIG_FILE") { paths.append(file) }
        // If a root is set, fontconfig looks for everything below it.
        if let root = value("FONTCONFIG_SYSROOT") { paths += paths.map { root + $0 } }
        return paths.filter { $0.hasPrefix("/") && $0 != "/" }
    }
}
