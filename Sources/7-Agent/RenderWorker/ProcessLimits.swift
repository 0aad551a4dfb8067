import Glibc

/// The limits that a worker sets itself for its whole life. Seconds of computing are set by the parent, job by job.
enum ProcessLimits {
    /// No image that we draw comes near this.
    private static let largestFile: UInt = 256 << 20
    /// The five files of a job, the socket, fonts, and some room.
    private static let mostDescriptors: UInt = 64

    static func set(addressSpace: UInt) {
        limit(RLIMIT_AS, addressSpace)
        limit(RLIMIT_CORE, 0)
        limit(RLIMIT_FSIZE, largestFile)
        limit(RLIMIT_NOFILE, mostDescriptors)
        // If memory runs out, a page can be made again; everything else that runs here is worth more.
        let score = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC)
        if score >= 0 {
            _ = write(score, "1000", 4)
            close(score)
        }
        // A file that grows too large is an error to report, not a reason to die.
        signal(SIGXFSZ, SIG_IGN)
    }

    private static func limit(_ resource: __rlimit_resource, _ value: UInt) {
        var limits = rlimit()
        getrlimit(Int32(resource.rawValue), &limits)
        limits.rlim_cur = min(value, limits.rlim_max)
        limits.rlim_max = limits.rlim_cur
        setrlimit(Int32(resource.rawValue), &limits)
    }
}
