import CMicroHTTPD
import CShims
import Glibc
import Platform
import Synchronization

/// A server's only thread. One sleep waits for libmicrohttpd, for the deadlines, and for clients that go away while their
/// connections are held back. So the connections need no lock, and nothing wakes the thread while there are no requests.
final class ServerThread {
    private let connections: Connections
    private let daemon: OpaquePointer

    private init(_ connections: Connections, _ daemon: OpaquePointer) { (self.connections, self.daemon) = (connections, daemon) }

    /// The size of the thread's stack. A handler that decodes JSON needs most of it.
    private static let stack = 512 << 10
    /// Additional connections, so that connections about to be cut never prevent the acceptance of new ones.
    private static let spare = 16

    /// Starts the thread. From then on, libmicrohttpd owns the listening socket.
    static func start(_ connections: Connections, listening: Int32) throws(SystemError) -> pthread_t {
        let limits = connections.limits
        let options = [
            MHD_OptionItem(option: .CONNECTION_LIMIT, value: limits.connections + spare, ptr_value: nil),
            MHD_OptionItem(option: .CONNECTION_MEMORY_LIMIT, value: limits.connectionMemory, ptr_value: nil),
            MHD_OptionItem(option: .CONNECTION_TIMEOUT, value: Int(limits.idle.components.seconds), ptr_value: nil),
            MHD_OptionItem(option: .END, value: 0, ptr_value: nil),
        ]
        let daemon = woodshed_mhd_start(
            MHD_USE_EPOLL.rawValue | MHD_USE_ITC.rawValue | MHD_ALLOW_SUSPEND_RESUME.rawValue, listening, Connections.access,
            Connections.completed, Connections.connection, Connections.line, Unmanaged.passUnretained(connections).toOpaque(), options)
        guard let daemon else { throw SystemError("start libmicrohttpd") }
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setstacksize(&attributes, stack)
        let owned = Unmanaged.passRetained(ServerThread(connections, daemon))
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
        // Leave signals to other threads. A broken pipe is reported by the call that fails.
        var all = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_BLOCK, &all, nil)
        woodshed_name_this_thread("http")
        while connections.readLetters() {
            for visitor in connections.visitors { visitor.isToGoOn = false }
            MHD_run(daemon)
            sleep(until: connections.keepTime())
        }
        connections.close()
        // libmicrohttpd aborts the whole program if it is stopped while a connection is held back.
        MHD_run(daemon)
        MHD_stop_daemon(daemon)
    }

    /// Sleeps until something happens, and cuts held-back connections whose clients have gone, which libmicrohttpd does not check.
    private func sleep(until deadline: Instant?) {
        let held = connections.visitors.filter(\.isSuspended)
        var waits = [woodshed_mhd_epoll(daemon), connections.mailbox.wakeup].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        waits += held.map { pollfd(fd: $0.socket, events: Visitor.goneAway, revents: 0) }
        poll(&waits, nfds_t(waits.count), milliseconds(until: deadline))
        for (visitor, wait) in zip(held, waits.dropFirst(2)) where wait.revents != 0 { visitor.cut() }
    }

    private func milliseconds(until deadline: Instant?) -> Int32 {
        if connections.visitors.contains(where: \.isToGoOn) { return 0 }
        var milliseconds: UInt64 = 0
        var wait = MHD_get_timeout(daemon, &milliseconds) == MHD_Result.YES ? Int(clamping: milliseconds) : Int.max
        // Round up, since even a wake-up less than a millisecond early is too early.
        if let deadline {
            let (seconds, rest) = (deadline - .now).components
            wait = min(wait, max(Int(seconds) * 1000 + Int((rest + 999_999_999_999_999) / 1_000_000_000_000_000), 0))
        }
        return wait == Int.max ? -1 : Int32(clamping: wait)
    }
}

/// Messages of other threads to the server's thread.
final class Mailbox: Sendable {
    enum Letter: Sendable {
        /// The answer for which the request with this number waits.
        case answer(Int, WebReply)
        /// The stream that answers the request with this number has something to send, or should end.
        case news(Int)
        case stop
    }

    /// Readable while there are letters.
    let wakeup = woodshed_eventfd()
    private let letters = Mutex<[Letter]?>([])

    deinit { Glibc.close(wakeup) }

    /// Adds a letter; returns `false` if nobody will read it.
    @discardableResult
    func post(_ letter: Letter) -> Bool {
        letters.withLock { letters in
            guard letters != nil else { return false }
            letters?.append(letter)
            if letters?.count == 1 {
                var one: UInt64 = 1
                _ = write(wakeup, &one, 8)
            }
            return true
        }
    }

    /// Takes all letters. After a call with `isLast`, no more letters can be posted.
    func take(isLast: Bool = false) -> [Letter] {
        letters.withLock { letters in
            // The eventfd is only set if there is a letter.
            if letters?.isEmpty == false {
                var count: UInt64 = 0
                _ = read(wakeup, &count, 8)
            }
            defer { letters = isLast ? nil : [] }
            return letters ?? []
        }
    }
}
