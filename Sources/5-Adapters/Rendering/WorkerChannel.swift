import CShims
import Glibc
import Platform

/// Our ends of the connections to a worker: the socket for messages, and its standard error.
@LoopActor
final class WorkerChannel {
    private let socket: Descriptor
    private let errors: Descriptor
    private var socketWatch: DescriptorWatch?
    private var errorsWatch: DescriptorWatch?

    /// Makes both, and has `start` give the other ends to a process: its standard error, and its socket.
    init(_ start: (_ errors: Int32, _ socket: Int32) throws(SystemError) -> Void) throws(SystemError) {
        let sockets = try Self.pair("make a socket") { woodshed_message_socket_pair($0) }
        socket = Descriptor(owning: sockets.0)
        let theirs = Descriptor(owning: sockets.1)
        let pipes = try Self.pair("make a pipe") { pipe($0) }
        errors = Descriptor(owning: pipes.0)
        let writing = Descriptor(owning: pipes.1)
        for number in [sockets.0, pipes.0] { _ = fcntl(number, F_SETFL, fcntl(number, F_GETFL) | O_NONBLOCK) }
        for number in [pipes.0, pipes.1] { _ = fcntl(number, F_SETFD, FD_CLOEXEC) }
        try start(writing.number, theirs.number)
    }

    private static func pair(
        _ what: String, _ make: (UnsafeMutablePointer<Int32>) -> Int32
    ) throws(SystemError) -> (Int32, Int32) {
        var numbers: [Int32] = [-1, -1]
        guard make(&numbers) == 0 else { throw SystemError(what) }
        return (numbers[0], numbers[1])
    }

    /// Whether answers may still come.
    var isHeard: Bool { socketWatch != nil }

    /// Calls these whenever there is something to read.
    func listen(complaints: @escaping @LoopActor () -> Void, reply: @escaping @LoopActor () -> Void) throws(SystemError) {
        errorsWatch = try Loop.shared.watch(errors.number, for: .read) { _ in complaints() }
        socketWatch = try Loop.shared.watch(socket.number, for: .read) { _ in reply() }
    }

    func send(_ bytes: [UInt8], descriptors: [Int32]) throws(SystemError) {
        try MessageSocket.send(bytes, descriptors: descriptors, over: socket.number)
    }

    /// A message, or `nil` if the other side is gone.
    func receive() throws(SystemError) -> [UInt8]? {
        try MessageSocket.receive(from: socket.number)?.bytes
    }

    /// Hands over what was written to the standard error, until there is no more for now.
    func readComplaints(_ take: (ArraySlice<UInt8>) -> Void) {
        var chunk = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = chunk.withUnsafeMutableBytes { read(errors.number, $0.baseAddress, $0.count) }
            if count > 0 {
                take(chunk[..<count])
            } else if count == 0 {
                // Closed: reading on would find the end again and again.
                if let errorsWatch { Loop.shared.cancel(errorsWatch) }
                errorsWatch = nil
                return
            } else if errno != EINTR {
                return
            }
        }
    }

    /// Tells the process that nothing more will come.
    func shutDown() { shutdown(socket.number, Int32(SHUT_RDWR)) }

    /// Stops listening for answers.
    func stopListening() {
        if let socketWatch { Loop.shared.cancel(socketWatch) }
        socketWatch = nil
    }

    func close() {
        stopListening()
        if let errorsWatch { Loop.shared.cancel(errorsWatch) }
        errorsWatch = nil
    }
}
