import Glibc
import Synchronization

/// A server that sends exactly the given bytes, even bytes that no proper server would send.
final class RawServer: Sendable {
    /// One step of an answer.
    enum Step: Sendable {
        case send(String)
        case sendBytes([UInt8])
        /// Sends the text after a pause.
        case pause(milliseconds: UInt32, then: String)
        /// Sends nothing, and waits until the client closes the connection.
        case waitForClose
        /// Closes the connection.
        case close
    }

    struct Request: Sendable {
        let line: String
        let headers: [String: String]
        var path: String { line.split(separator: " ").dropFirst().first.map(String.init) ?? "" }
    }

    private struct State {
        var connections: Set<Int32> = []
        var accepted = 0
        var requests: [Request] = []
        var isOpen = true
    }

    let port: UInt16
    private let listener: Int32
    private let state = Mutex(State())
    private let answer: @Sendable (Request) -> [Step]
    /// If set, the answer to the first byte of a connection, as to the beginning of a TLS handshake.
    private let complaint: String?

    var accepted: Int { state.withLock { $0.accepted } }
    var requests: [Request] { state.withLock { $0.requests } }
    func url(_ path: String) -> String { "http://127.0.0.1:\(port)\(path)" }

    init(complaint: String? = nil, _ answer: @escaping @Sendable (Request) -> [Step]) {
        (self.answer, self.complaint) = (answer, complaint)
        (listener, port) = Self.listen()
        Self.startThread { [listener, weak self] in
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else {
                    if errno == EINTR { continue }
                    break
                }
                guard let server = self, server.adopt(connection) else {
                    Glibc.close(connection)
                    break
                }
                Self.startThread { server.serve(connection) }
            }
            Glibc.close(listener)
        }
    }

    /// Stops the server; its thread then frees the port.
    func close() {
        let wasOpen = state.withLock { state in
            defer { state.isOpen = false }
            for connection in state.connections { shutdown(connection, Int32(SHUT_RDWR)) }
            return state.isOpen
        }
        if wasOpen { shutdown(listener, Int32(SHUT_RDWR)) }
    }

    deinit {
        close()
    }

    /// A port on which nobody listens.
    static func closedPort() -> UInt16 {
        let (socket, port) = listen()
        Glibc.close(socket)
        return port
    }

    private func adopt(_ connection: Int32) -> Bool {
        state.withLock { state in
            guard state.isOpen else { return false }
            state.connections.insert(connection)
            state.accepted += 1
            return true
        }
    }

    private func serve(_ connection: Int32) {
        defer {
            _ = state.withLock { $0.connections.remove(connection) }
            Glibc.close(connection)
        }
        if let complaint {
            var byte: UInt8 = 0
            guard read(connection, &byte, 1) == 1, Self.write(Array(complaint.utf8), to: connection) else { return }
            while read(connection, &byte, 1) > 0 {}
            return
        }
        while let request = Self.readRequest(connection) {
            state.withLock { $0.requests.append(request) }
            for step in answer(request) {
                switch step {
                case .send(let text): guard Self.write(Array(text.utf8), to: connection) else { return }
                case .sendBytes(let bytes): guard Self.write(bytes, to: connection) else { return }
                case .pause(let milliseconds, let text):
                    usleep(milliseconds * 1000)
                    guard Self.write(Array(text.utf8), to: connection) else { return }
                case .waitForClose:
                    var byte: UInt8 = 0
                    while read(connection, &byte, 1) > 0 {}
                    return
                case .close: return
                }
            }
        }
    }

    private static func readRequest(_ connection: Int32) -> Request? {
        var text = ""
        var byte: UInt8 = 0
        while !text.utf8.suffix(4).elementsEqual("\r\n\r\n".utf8) {
            guard read(connection, &byte, 1) == 1 else { return nil }
            text.unicodeScalars.append(Unicode.Scalar(byte))
        }
        let lines = text.split(separator: "\r\n")
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            let parts = line.split(separator: ": ", maxSplits: 1)
            headers[parts[0].lowercased()] = parts.count > 1 ? String(parts[1]) : ""
        }
        return Request(line: lines.first.map(String.init) ?? "", headers: headers)
    }

    private static func write(_ bytes: [UInt8], to connection: Int32) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                send(connection, UnsafeRawBufferPointer(rebasing: buffer[sent...]).baseAddress, bytes.count - sent, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }

    private static func listen() -> (socket: Int32, port: UInt16) {
        let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                precondition(bind(socket, generic, length) == 0 && Glibc.listen(socket, 64) == 0, "cannot listen")
                getsockname(socket, generic, &length)
            }
        }
        return (socket, UInt16(bigEndian: address.sin_port))
    }

    private static func startThread(_ body: @escaping @Sendable () -> Void) {
        final class Box: Sendable {
            let body: @Sendable () -> Void
            init(_ body: @escaping @Sendable () -> Void) { self.body = body }
        }
        var thread = pthread_t()
        let code = pthread_create(
            &thread, nil,
            { context in
                context.map { Unmanaged<Box>.fromOpaque($0).takeRetainedValue().body() }
                return nil
            }, Unmanaged.passRetained(Box(body)).toOpaque())
        precondition(code == 0, "cannot start a thread")
        pthread_detach(thread)
    }
}

extension RawServer.Step {
    /// A complete answer with a body.
    static func reply(_ status: String = "200 OK", headers: [String] = [], _ body: String = "") -> Self {
        let head = ["HTTP/1.1 \(status)", "Content-Length: \(body.utf8.count)"] + headers
        return .send(head.joined(separator: "\r\n") + "\r\n\r\n" + body)
    }

    static func redirect(to location: String, status: String = "302 Found") -> Self {
        .reply(status, headers: ["Location: \(location)"])
    }
}
