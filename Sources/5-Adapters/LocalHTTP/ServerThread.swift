import CMicroHTTPD
import CShims
import Glibc
import Platform

/// A server's only thread. It runs libmicrohttpd, keeps its own deadlines, and notices clients that go away while their
/// connections are held back, all in a single sleep: nothing needs a lock, and nothing wakes it while there are no requests.
final class ServerThread {
    private let desk: Desk
    private let daemon: OpaquePointer

    private init(_ desk: Desk, _ daemon: OpaquePointer) {
        self.desk = desk
        self.daemon = daemon
    }

    /// The size of its stack; a handler that decodes JSON needs most of it.
    private static let stack = 512 << 10
    /// More connections than are kept, so that one that is about to be cut never keeps another from being accepted.
    private static let spare = 16

    /// Starts it; from then on, libmicrohttpd owns the listening socket.
    static func start(_ desk: Desk, listening: Int32) throws(SystemError) -> pthread_t {
        let limits = desk.limits
        let options = [
            MHD_OptionItem(option: .CONNECTION_LIMIT, value: limits.connections + spare, ptr_value: nil),
            MHD_OptionItem(option: .CONNECTION_MEMORY_LIMIT, value: limits.connectionMemory, ptr_value: nil),
            MHD_OptionItem(option: .CONNECTION_TIMEOUT, value: Int(limits.idle.components.seconds), ptr_value: nil),
            MHD_OptionItem(option: .END, value: 0, ptr_value: nil),
        ]
        let daemon = woodshed_mhd_start(
            MHD_USE_EPOLL.rawValue | MHD_USE_ITC.rawValue | MHD_ALLOW_SUSPEND_RESUME.rawValue, listening, Desk.access,
            Desk.completed, Desk.connection, Desk.line, Unmanaged.passUnretained(desk).toOpaque(), options)
        guard let daemon else { throw SystemError("start libmicrohttpd") }
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setstacksize(&attributes, stack)
        let owned = Unmanaged.passRetained(ServerThread(desk, daemon))
        var thread = pthread_t()
        let code = pthread_create(
            &thread, &attributes,
            { context in
                if let context { Unmanaged<ServerThread>.fromOpaque(context).takeRetainedValue().run() }
                return nil
            }, owned.toOpaque())
        guard code == 0 else {
            owned.release()
            MHD_stop_daemon(daemon)
            throw SystemError("start a thread", code: code)
        }
        return thread
    }

    private func run() {
        // Signals are for other threads; a broken pipe shows in the call that failed.
        var all = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_BLOCK, &all, nil)
        woodshed_name_this_thread("http")
        while desk.readLetters() {
            for visitor in desk.visitors { visitor.isToGoOn = false }
            MHD_run(daemon)
            sleep(until: desk.keepTime())
        }
        desk.close()
        // libmicrohttpd aborts the whole program if it is stopped while a connection is held back.
        MHD_run(daemon)
        MHD_stop_daemon(daemon)
    }

    /// Sleeps until something happens, and cuts held-back connections whose clients have gone, which libmicrohttpd does not check.
    private func sleep(until deadline: Int?) {
        let held = desk.visitors.filter(\.isSuspended)
        var waits = [woodshed_mhd_epoll(daemon), desk.mailbox.wakeup].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        waits += held.map { pollfd(fd: $0.socket, events: Self.goneAway, revents: 0) }
        poll(&waits, nfds_t(waits.count), milliseconds(until: deadline))
        for (visitor, wait) in zip(held, waits.dropFirst(2)) where wait.revents != 0 { visitor.cut() }
    }

    private func milliseconds(until deadline: Int?) -> Int32 {
        if desk.visitors.contains(where: \.isToGoOn) { return 0 }
        var milliseconds: UInt64 = 0
        var wait = MHD_get_timeout(daemon, &milliseconds) == MHD_Result.YES ? Int(clamping: milliseconds) : Int.max
        // Rounded up, since what is due in less than a millisecond is not due yet.
        if let deadline { wait = min(wait, max((deadline - MonotonicTime.now + 999_999) / 1_000_000, 0)) }
        return wait == Int.max ? -1 : Int32(clamping: wait)
    }

    // POLLRDHUP, which is missing from Swift's Glibc.
    private static let goneAway: Int16 = 0x2000
}
