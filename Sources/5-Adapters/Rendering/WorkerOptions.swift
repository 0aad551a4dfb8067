import Glibc
public import Model

/// How the renderer's processes are started and limited.
public struct WorkerOptions: Sendable {
    public var program: String
    /// The number of background processes, at least one. One more process serves the pages that a screen waits for.
    public var width: Int
    /// The longest time for a job by the wall clock.
    public var jobTime: Duration = .seconds(60)
    /// The most seconds of computing time for a job.
    public var cpuSeconds = 30
    /// How much memory a process may map: half of the machine's, but no less than 768 MiB and no more than 2 GiB. A scan at 600 dpi
    /// takes 240 MB, the largest image that may be drawn about 1 GB.
    public var addressSpace = Self.memory(dividedBy: 2, within: 768 << 20...2 << 30)
    /// How much memory the processes of a lane may use together: a quarter of the machine's, but no less than 384 MiB and no more than
    /// 1 GiB. Above this, the job that uses the most memory is done again later, alone.
    public var memoryTogether = Self.memory(dividedBy: 4, within: 384 << 20...1 << 30)
    /// A process with more threads is killed; the threads that lay out text come and go in pairs.
    public var mostThreads = 32
    /// How long an unwanted job may continue before its process is killed.
    public var graceTime: Duration = .milliseconds(50)
    /// When a healthy process is ended: after this time without a job, after this number of jobs (so that leaks in the libraries do
    /// not add up for ever), or after a job that left it with more than this amount of memory.
    public var idleTime: Duration = .seconds(60)
    public var mostJobs = 500
    public var mostMemoryKept = ByteCount(512 << 20)
    /// True if the background processes compute only when the machine is otherwise idle, unless this leaves them almost no time.
    public var isBackground = true
    /// The environment variables of the processes, each as `NAME=value`.
    public var environment: [String]
    /// Walls of the sandbox to leave out, by name.
    package var omittedWalls: [String] = []

    public init(program: String, width: Int) {
        self.program = program
        self.width = max(1, width)
        environment = Self.inheritedEnvironment()
    }

    /// A fraction of the machine's memory, or the nearer bound if it is outside `bounds`; the upper bound if the memory is unknown.
    private static func memory(dividedBy divisor: Int, within bounds: ClosedRange<Int>) -> ByteCount {
        let (pages, size) = (sysconf(Int32(_SC_PHYS_PAGES)), sysconf(Int32(_SC_PAGESIZE)))
        let (memory, isTooMuch) = pages.multipliedReportingOverflow(by: size)
        guard pages > 0, size > 0, !isTooMuch else { return ByteCount(bounds.upperBound) }
        return ByteCount(min(max(memory / divisor, bounds.lowerBound), bounds.upperBound))
    }

    /// The variables that the processes inherit, which are the search path, the language and what fontconfig needs, and a setting
    /// for crashes.
    private static func inheritedEnvironment() -> [String] {
        let names = [
            "PATH", "HOME", "LANG", "LC_ALL", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "FONTCONFIG_FILE",
            "FONTCONFIG_PATH", "FONTCONFIG_SYSROOT",
        ]
        let inherited = names.compactMap { name in getenv(name).map { "\(name)=\(String(cString: $0))" } }
        // A crash should cost only the job, but printing a backtrace would take seconds more.
        return inherited + ["SWIFT_BACKTRACE=enable=no"]
    }
}
