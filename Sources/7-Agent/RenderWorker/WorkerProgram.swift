import CShims
import Glibc
import Model
import PageRaster

/// `woodshed-render`: draws pages for woodshed, in a process of its own, because a PDF may come from anywhere.
public enum WorkerProgram {
    /// Where the parent puts our end of the socket.
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
        // All of this before anything is read, so that a PDF cannot make us undo it.
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
