import Glibc
import Platform

/// One persistent connection to a server on this machine, with as little client code as possible, so that the server is what is measured.
///
/// It blocks while it waits, so the thread that uses it can do nothing else.
final class WebConnection {
    let socket: Descriptor
    private(set) var status = 0
    private(set) var head = ""
    /// The body of the last answer, if it was to be kept.
    private(set) var body: [UInt8] = []
    private var start: [UInt8] = []
    /// How many bytes of the body have not arrived yet; `nil` until the head is complete.
    private var rest: Int?
    private var buffer = [UInt8](repeating: 0, count: 256 << 10)

    /// Connects to a port of 127.0.0.1.
    init(port: UInt16) throws(SystemError) {
        socket = Descriptor(owning: Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        try Self.connect(socket.number, &address)
        var one: Int32 = 1
        setsockopt(socket.number, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Connects to a socket in the file system.
    init(unixSocket path: String) throws(SystemError) {
        socket = Descriptor(owning: Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0))
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
        try Self.connect(socket.number, &address)
    }

    private static func connect<Address>(_ socket: Int32, _ address: inout Address) throws(SystemError) {
        let code = withUnsafeBytes(of: &address) { bytes in
            bytes.baseAddress.map { Glibc.connect(socket, $0.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count)) } ?? -1
        }
        guard code == 0 else { throw SystemError("connect") }
    }

    /// A port that is free right now.
    static func freePort() throws(SystemError) -> UInt16 {
        let socket = Descriptor(owning: Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = withUnsafeMutablePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(socket.number, address, size) == 0 ? getsockname(socket.number, address, &size) : -1
            }
        }
        guard code == 0 else { throw SystemError("find a free port") }
        return UInt16(bigEndian: address.sin_port)
    }

    /// Sends a complete request.
    func send(_ request: [UInt8]) throws(SystemError) {
        start = []
        body = []
        rest = nil
        var sent = 0
        while sent < request.count {
            let count = request.withUnsafeBytes {
                Glibc.send(socket.number, $0.baseAddress.map { $0 + sent }, $0.count - sent, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw SystemError("send a request") }
            sent += count
        }
    }

    /// Waits for more of the answer and takes it; `true` once the answer is complete.
    func receive(keepsBody: Bool) throws -> Bool {
        let count = recv(socket.number, &buffer, buffer.count, 0)
        guard count > 0 else { throw BenchmarkFailure("a server ended a connection in the middle of an answer") }
        if let rest {
            if keepsBody { body += buffer[..<count] }
            self.rest = rest - count
        } else {
            start += buffer[..<count]
            guard let end = Self.endOfHead(start) else { return false }
            try read(head: start[..<end])
            if keepsBody { body = Array(start[end...]) }
            rest = (rest ?? 0) - (start.count - end)
        }
        return rest == 0
    }

    /// Sends a request, and waits for the complete answer.
    func ask(_ request: [UInt8], keepsBody: Bool = true) throws {
        try send(request)
        while try !receive(keepsBody: keepsBody) {}
    }

    private static func endOfHead(_ bytes: [UInt8]) -> Int? {
        guard bytes.count >= 4 else { return nil }
        return (4...bytes.count).first { bytes[$0 - 4] == 13 && bytes[$0 - 3] == 10 && bytes[$0 - 2] == 13 && bytes[$0 - 1] == 10 }
    }

    private func read(head bytes: ArraySlice<UInt8>) throws {
        head = String(decoding: bytes, as: UTF8.self)
        status = head.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        guard let length = header("content-length").flatMap({ Int($0) }) else {
            throw BenchmarkFailure("a server does not tell how long its answer is:\n\(head)")
        }
        rest = length
    }

    /// The value of a header of the last answer, by its name in lower case.
    func header(_ name: String) -> String? {
        for line in head.split(whereSeparator: \.isNewline) {
            guard let colon = line.firstIndex(of: ":"), line[..<colon].lowercased() == name else { continue }
            return String(line[line.index(after: colon)...].drop { $0 == " " })
        }
        return nil
    }
}
