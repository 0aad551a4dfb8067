import CShims
import Glibc
import Model
import PageRaster

/// `woodshed-render`: draws pages for woodshed, in a process of its own, because a PDF may come from anywhere.
public enum WorkerProgram {
    /// The descriptor of the worker's end of the socket.
    static let socket: Int32 = 3

    /// Runs until the parent closes the socket; then ends the process.
    public static func main() -> Never {
        let arguments = Array(CommandLine.arguments.dropFirst())
        if arguments == ["--version"] {
            say(RendererTag.raster.text, to: 1)
            exit(0)
        }
        guard let options = WorkerArguments(arguments), options.isTrial || isMessageSocket(socket) else {
            say("woodshed-render draws pages for woodshed, which starts it.", to: 2)
            say("To run by hand: --version, and --try-out, which shows what its sandbox blocks.", to: 2)
            exit(2)
        }
        if options.isTrial { tryOut(options) }
        // Set everything up before anything is read, so that a PDF cannot make us undo it.
        _ = woodshed_die_with_parent()
        // The parent may have ended before that call.
        guard getppid() == options.parent else { exit(1) }
        woodshed_close_all_from(socket + 1)
        woodshed_keep_memory()
        ProcessLimits.set(addressSpace: options.addressSpace)
        if options.isBackground { woodshed_run_in_background() }
        PopplerMessages.sendToStandardError()
        let gaps = Sandbox.enter(without: options.omitted)
        JobLoop(socket: socket, gaps: gaps).run()
        exit(0)
    }

    /// Shows from inside what the sandbox blocks.
    private static func tryOut(_ options: WorkerArguments) -> Never {
        _ = woodshed_die_with_parent()
        ProcessLimits.set(addressSpace: options.addressSpace)
        let gaps = Sandbox.enter(without: options.omitted)
        let isTight = Attempts.report { say($0, to: 1) }
        for gap in gaps { say("gap: \(gap)", to: 1) }
        exit(isTight ? 0 : 1)
    }

    private static func isMessageSocket(_ number: Int32) -> Bool {
        var type: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(number, SOL_SOCKET, SO_TYPE, &type, &length) == 0 && type == Int32(SOCK_SEQPACKET.rawValue)
    }

    private static func say(_ text: String, to descriptor: Int32) {
        var line = text + "\n"
        line.withUTF8 { _ = write(descriptor, $0.baseAddress, $0.count) }
    }
}

/// A worker's arguments, which apply for its whole life.
struct WorkerArguments: Equatable {
    var parent: Int32 = 0
    var addressSpace: UInt = 2 << 30
    /// True if it only computes when the machine is otherwise idle.
    var isBackground = false
    /// Walls of the sandbox to leave out, so that a test can see the effect.
    var omitted: Set<Sandbox.Wall> = []
    var isTrial = false

    /// Reads the arguments; `nil` if they are not those of a worker.
    init?(_ arguments: [String]) {
        var rest = arguments[...]
        while let name = rest.popFirst() {
            switch name {
            case "--try-out": isTrial = true
            case "--without":
                guard let wall = rest.popFirst().flatMap({ Sandbox.Wall(rawValue: $0) }) else { return nil }
                omitted.insert(wall)
            case "--background": isBackground = true
            case "--parent":
                guard let value = rest.popFirst().flatMap({ Int32($0) }) else { return nil }
                parent = value
            case "--address-space":
                guard let value = rest.popFirst().flatMap({ UInt($0) }) else { return nil }
                addressSpace = value
            default: return nil
            }
        }
        guard parent > 0 || isTrial else { return nil }
    }
}

/// The limits that a worker sets itself for its whole life. The parent limits the seconds of computing, job by job.
enum ProcessLimits {
    /// Larger than any image, and than a plan of scans in one PDF.
    private static let largestFile: UInt = 1 << 30
    /// The five files of a job, the socket, fonts, and some room.
    private static let mostDescriptors: UInt = 64

    static func set(addressSpace: UInt) {
        limit(RLIMIT_AS, addressSpace)
        // The same limit as in all of Woodshed's programs. With 1, a program that collects core dumps receives none; with 0, it would.
        limit(RLIMIT_CORE, 1)
        limit(RLIMIT_FSIZE, largestFile)
        limit(RLIMIT_NOFILE, mostDescriptors)
        // If memory runs out, end the worker first: a page can be made again, and everything else on the machine is worth more.
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
