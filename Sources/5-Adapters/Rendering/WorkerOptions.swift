import Glibc
public import Model

/// How the renderer's processes are started and limited.
public struct WorkerOptions: Sendable {
    public var program: String
    /// How many processes there may be; one more, for what a screen waits for, comes on top.
    public var width: Int
    /// How long a job may take by the clock on the wall.
    public var jobTime: Duration = .seconds(60)
    /// How many seconds of computing a job may take.
    public var cpuSeconds = 30
    /// How much memory a process may map, at most half of the machine's. A scan at 600 dpi takes 240 MB; the largest image that is drawn,
    /// about 1 GB.
    public var addressSpace = Self.memory(dividedBy: 2, within: 768 << 20...2 << 30)
    /// How much memory the processes that draw ahead may take together. Above that, they draw one page at a time.
    public var memoryTogether = Self.memory(dividedBy: 4, within: 384 << 20...1 << 30)
    /// A process with more threads than this is ended; those that lay out text come and go in twos.
    public var mostThreads = 32
    /// How long a job that is no longer wanted may go on, so that its process need not be killed.
    public var graceTime: Duration = .milliseconds(50)
    /// When a process that works well is ended: after this time without a job, after so many jobs, so that leaks in the libraries do not
    /// add up for ever, or after a job that left it with more memory than this.
    public var idleTime: Duration = .seconds(60)
    public var mostJobs = 500
    public var mostMemoryKept = ByteCount(512 << 20)
    /// True if it only computes when the machine is otherwise idle, unless that leaves it next to nothing.
    public var isBackground = true
    /// Its environment.
    public var environment: [String]
    /// Walls of the sandbox to leave out, by name.
    package var omittedWalls: [String] = []

    public init(program: String, width: Int) {
        self.program = program
        self.width = max(1, width)
        environment = Self.inheritedEnvironment()
    }

    /// A fraction of the machine's memory, within bounds.
    private static func memory(dividedBy divisor: Int, within bounds: ClosedRange<Int>) -> ByteCount {
        let (pages, size) = (sysconf(Int32(_SC_PHYS_PAGES)), sysconf(Int32(_SC_PAGESIZE)))
        let (memory, isTooMuch) = pages.multipliedReportingOverflow(by: size)
        guard pages > 0, size > 0, !isTooMuch else { return ByteCount(bounds.upperBound) }
        return ByteCount(min(max(memory / divisor, bounds.lowerBound), bounds.upperBound))
    }

    /// The variables that fontconfig and the dynamic linker need, and no others of ours.
    private static func inheritedEnvironment() -> [String] {
        let names = [
            "PATH", "HOME", "LANG", "LC_ALL", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "FONTCONFIG_FILE",
            "FONTCONFIG_PATH", "FONTCONFIG_SYSROOT",
        ]
        let inherited = names.compactMap { name in getenv(name).map { "\(name)=\(String(cString: $0))" } }
        // A crash should cost only the job, not also the seconds that printing a backtrace takes.
        return inherited + ["SWIFT_BACKTRACE=enable=no"]
    }
}
