import CShims
import Glibc
import LocalHTTP
import Platform
import Rendering

/// The process that holds the viewer's ports while no agent is running.
package struct HeldPortsProcess: ~Copyable {
    /// The descriptor over which the agent sends sockets to this process.
    private static let channel: Int32 = 3
    /// How often (ms) this process checks whether it is still useful after its agent has ended.
    private static let rhythm: Int32 = 60_000
    private static let most = 8

    private let path: String
    private var sockets: [Int32] = []
    private var hasAgent = true
    /// The socket on which the next agent requests the ports. It opens when there are ports to hand over.
    private var listener: Int32 = -1
    private var own: Place?
    /// Agents that received the sockets and have not yet confirmed that another process holds them.
    private var followers: [Int32] = []

    /// Runs this process until nobody needs it any more.
    package static func run(_ path: String) -> Never {
        for each in [SIGINT, SIGHUP, SIGPIPE] { signal(each, SIG_IGN) }
        woodshed_name_this_thread("woodshed-ports")
        _ = chdir("/")
        var process = HeldPortsProcess(path: path)
        while true { process.step() }
    }

    private init(path: String) { self.path = path }

    private mutating func step() {
        let numbers = [hasAgent ? Self.channel : -1, listener] + followers
        var waiting = numbers.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        poll(&waiting, nfds_t(waiting.count), hasAgent ? -1 : Self.rhythm)
        if waiting[0].revents != 0 { receive() }
        for each in waiting.dropFirst(2) where each.revents != 0 { hear(each.fd) }
        if waiting[1].revents != 0 { handOver() }
        if !hasAgent, sockets.isEmpty || Place(path) != own { exit(0) }
    }

    private mutating func receive() {
        guard let message = try? MessageSocket.receive(from: Self.channel) else {
            hasAgent = false
            for each in sockets { HeldPorts.refuse(each) }
            return
        }
        for each in sockets { close(each) }
        // The last descriptor is the sender's `Barrier`: it is not kept, so it is closed along with the message. The sender then relies on
        // this process's socket, so the message must stay until that is there.
        defer { withExtendedLifetime(message) {} }
        sockets = message.files.numbers.dropLast().map { fcntl($0, F_DUPFD_CLOEXEC, 0) }
        if listener < 0, !sockets.isEmpty { listen() }
    }

    private mutating func listen() {
        listener = Self.makeSocket()
        unlink(path)
        guard let address = UnixAddress(path), address.bind(listener), chmod(path, 0o600) == 0, Glibc.listen(listener, 4) == 0 else {
            exit(1)
        }
        own = Place(path)
    }

    private mutating func handOver() {
        let number = accept(listener, nil, nil)
        guard number >= 0 else { return }
        var (process, user) = (pid_t(0), uid_t(0))
        guard followers.count < Self.most, woodshed_peer(number, &process, &user) == 0, user == geteuid(),
            (try? MessageSocket.send([0], descriptors: sockets, over: number)) != nil
        else {
            close(number)
            return
        }
        followers.append(number)
    }

    /// Ends this process if a follower confirmed that another process holds the ports. Forgets a follower that ended before that.
    private mutating func hear(_ follower: Int32) {
        var word: UInt8 = 1
        if recv(follower, &word, 1, Int32(MSG_DONTWAIT)) > 0 { exit(0) }
        followers.removeAll { $0 == follower }
        close(follower)
    }

    static func makeSocket() -> Int32 {
        socket(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    }

    /// The identity of the socket at a path. It differs after the runtime folder was removed or another process created its own socket.
    private struct Place: Equatable {
        let device: dev_t
        let number: ino_t

        init?(_ path: String) {
            var status = stat()
            guard lstat(path, &status) == 0 else { return nil }
            (device, number) = (status.st_dev, status.st_ino)
        }
    }
}
