import Glibc
import Platform

/// Requests through the program curl, which is independent of the product's client.
extension StorageServer {
    public struct Answer: Sendable {
        public let status: Int
        /// Headers by lower-case name. A repeated header has its last value.
        public let headers: [String: String]
        public let body: [UInt8]

        public var text: String { String(decoding: body, as: UTF8.self) }
    }

    /// Requests a file in the folder or bucket, with the given password or the server's own.
    public func ask(
        _ method: String, _ file: String, headers: [String] = [], body: [UInt8]? = nil, password: String? = nil
    ) async throws -> Answer {
        try await ask(method, at: address(of: file), headers: headers, body: body, password: password)
    }

    /// Requests an address, with the given password or the server's own.
    public func ask(
        _ method: String, at address: String, headers: [String] = [], body: [UInt8]? = nil, password: String? = nil
    ) async throws -> Answer {
        let files = TemporaryFolder()
        var arguments = ["--silent", "--show-error", "--max-time", "20", "--user", user + ":" + (password ?? self.password)]
        arguments += ["--dump-header", files.path("headers"), "--output", files.path("body")]
        arguments += method == "HEAD" ? ["--head"] : ["--request", method]
        if let body {
            try body.withUnsafeBytes { try AtomicFile.write($0, to: files.path("sent")) }
            arguments += ["--upload-file", files.path("sent")]
        }
        if let region {
            // Older versions of curl do not send this header by themselves, but services require it.
            arguments += ["--aws-sigv4", "aws:amz:\(region):s3", "--header", "x-amz-content-sha256: UNSIGNED-PAYLOAD"]
        } else {
            // Only unsigned requests use this option: newer versions of curl cannot sign a path that is sent as it is.
            arguments.append("--path-as-is")
        }
        let asked = try await Program.run("/usr/bin/curl", arguments + headers.flatMap { ["--header", $0] } + [address])
        guard asked.exit == .code(0) else { throw Failure(description: "\(kind.rawValue), \(method) \(address): \(asked.messages)") }
        // Only the last response counts: a "100 Continue" may come before it.
        let lines = String(decoding: try AtomicFile.read(files.path("headers"), limit: 1 << 20), as: UTF8.self)
        var (status, named) = (0, [String: String]())
        for line in lines.split(whereSeparator: \.isNewline) {
            if line.hasPrefix("HTTP/") {
                (status, named) = (Int(line.split(separator: " ").dropFirst().first ?? "") ?? 0, [:])
            } else if let colon = line.firstIndex(of: ":") {
                named[line[..<colon].lowercased()] = String(line[line.index(after: colon)...].drop { $0 == " " })
            }
        }
        // curl creates no file for an empty body.
        let came = access(files.path("body"), F_OK) == 0 ? try AtomicFile.read(files.path("body"), limit: 1 << 28) : []
        return Answer(status: status, headers: named, body: came)
    }

    /// Free ports outside the kernel's range for outgoing connections, so they are still free when a server is restarted.
    nonisolated static func freePorts(_ count: Int) throws -> [UInt16] {
        var sockets: [Int32] = []
        defer { for socket in sockets { close(socket) } }
        var ports: [UInt16] = []
        for _ in 0..<1000 where ports.count < count {
            let port = UInt16.random(in: 10_000..<32_000)
            let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
            sockets.append(socket)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
            let code = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
            }
            if code == 0 { ports.append(port) }
        }
        guard ports.count == count else { throw Failure(description: "this machine has no free ports from 10000 to 32000") }
        return ports
    }
}
