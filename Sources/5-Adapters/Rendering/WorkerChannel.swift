import CShims
import Glibc
package import Platform

/// Our ends of the connections to a worker: the socket for messages, and its standard error.
@LoopActor
final class WorkerChannel {
    private let socket: Descriptor
    private let errors: Descriptor
    private var socketWatch: DescriptorWatch?
    private var errorsWatch: DescriptorWatch?

    /// Makes a socket and a pipe. `start` must give their other ends to a process, as its socket and its standard error.
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

    /// True if replies are still received.
    var isReceiving: Bool { socketWatch != nil }

    /// Calls `complaints` whenever the standard error can be read, and `reply` whenever a reply can.
    func listen(complaints: @escaping @LoopActor () -> Void, reply: @escaping @LoopActor () -> Void) throws(SystemError) {
        errorsWatch = try Loop.shared.watch(errors.number, for: .read) { _ in complaints() }
        socketWatch = try Loop.shared.watch(socket.number, for: .read) { _ in reply() }
    }

    func send(_ bytes: [UInt8], descriptors: [Int32]) throws(SystemError) {
        try MessageSocket.send(bytes, descriptors: descriptors, over: socket.number)
    }

    func receive() throws(SystemError) -> [UInt8]? { try MessageSocket.receive(from: socket.number)?.bytes }

    /// Passes everything that the standard error holds to `receive`.
    func readComplaints(_ receive: (ArraySlice<UInt8>) -> Void) {
        var chunk = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = chunk.withUnsafeMutableBytes { read(errors.number, $0.baseAddress, $0.count) }
            if count > 0 {
                receive(chunk[..<count])
            } else if count == 0 {
                // The process has closed its standard error. Stop watching it, or this end would be reported again and again.
                if let errorsWatch { Loop.shared.cancel(errorsWatch) }
                errorsWatch = nil
                return
            } else if errno != EINTR {
                return
            }
        }
    }

    /// Shuts the socket down, so that the process ends.
    func shutDown() { shutdown(socket.number, Int32(SHUT_RDWR)) }

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

/// Sends and receives whole messages with descriptors attached, over a socket between us and a worker.
package enum MessageSocket {
    package static func send(_ bytes: [UInt8], descriptors: [Int32], over socket: Int32) throws(SystemError) {
        while true {
            let sent = bytes.withUnsafeBytes {
                woodshed_send_message(socket, $0.baseAddress, $0.count, descriptors, Int32(descriptors.count))
            }
            if sent == bytes.count { return }
            if sent < 0, errno == EINTR { continue }
            throw SystemError("send a message to the renderer", code: sent < 0 ? errno : EMSGSIZE)
        }
    }

    /// Receives one message with its descriptors; `nil` if the other side is gone.
    package static func receive(from socket: Int32) throws(SystemError) -> (bytes: [UInt8], files: OwnedDescriptors)? {
        var descriptors = [Int32](repeating: -1, count: 16)
        while true {
            var received = 0
            var count = Int32(descriptors.count)
            let bytes = [UInt8](unsafeUninitializedCapacity: JobMessage.mostBytes) { buffer, initialized in
                received = woodshed_receive_message(socket, buffer.baseAddress, buffer.count, &descriptors, &count)
                initialized = max(received, 0)
            }
            if received > 0 { return (bytes, OwnedDescriptors(Array(descriptors[..<Int(count)]))) }
            if received == 0 { return nil }
            if errno != EINTR { throw SystemError("receive a message") }
        }
    }
}

/// Descriptors that belong to a message or an order. They are closed when this object is released.
package final class OwnedDescriptors {
    package let numbers: [Int32]

    package init(_ numbers: [Int32]) { self.numbers = numbers }

    /// Duplicates descriptors that a caller owns.
    package init(copying others: [Int32]) throws(SystemError) {
        numbers = others.map { fcntl($0, F_DUPFD_CLOEXEC, 0) }
        guard numbers.allSatisfy({ $0 >= 0 }) else { throw SystemError("hand a file over") }
    }

    deinit {
        for number in numbers where number >= 0 { close(number) }
    }
}

/// Files in memory, for data that is too large for a message.
package enum MemoryFile {
    /// Makes a file that contains `bytes`, with the position at its start.
    package static func create(holding bytes: some Collection<UInt8> = []) throws(SystemError) -> Descriptor {
        let number = woodshed_memory_file("woodshed")
        guard number >= 0 else { throw SystemError("make a file in memory") }
        let file = Descriptor(owning: number)
        let bytes = Array(bytes)
        do {
            try bytes.withUnsafeBytes { try file.write($0) }
        } catch {
            throw error as? SystemError ?? SystemError("write", code: EIO)
        }
        lseek(number, 0, SEEK_SET)
        return file
    }

    /// Reads a file from its start, for example after the other side has written it. The descriptor stays open.
    package static func read(_ descriptor: Int32, limit: Int) throws(SystemError) -> [UInt8] {
        lseek(descriptor, 0, SEEK_SET)
        let own = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        guard own >= 0 else { throw SystemError("read a file in memory") }
        return try Descriptor(owning: own).readAll(limit: limit)
    }
}
