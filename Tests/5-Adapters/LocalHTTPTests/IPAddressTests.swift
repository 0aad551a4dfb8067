import Glibc
import LocalHTTP
import Model
import TestSupport
import Testing

/// Reads and classifies addresses, and checks where a server on each kind of address can be reached.
@Suite(.timeLimit(.minutes(5)))
struct IPAddressTests {
    @Test(arguments: [
        ("127.0.0.1", "127.0.0.1"), ("0.0.0.0", "0.0.0.0"), ("192.168.1.5", "192.168.1.5"), ("::", "[::]"), ("::1", "[::1]"),
        ("FD00:0:0:0:0:0:0:5", "[fd00::5]"),
    ])
    func addressesAreWrittenAsBrowsersDo(_ text: String, _ host: String) throws {
        #expect(try #require(IPAddress(text)).host == host)
    }

    @Test(arguments: [
        "", "localhost", "127.1", "1.2.3", "1.2.3.4.5", "256.0.0.1", "[::1]", "fe80::1%lo", "1.2.3.4:80", " 1.2.3.4", "::g", "*",
    ])
    func whatIsNoAddressIsNone(_ text: String) { #expect(IPAddress(text) == nil) }

    @Test func kindsAreDistinguished() {
        let kinds = ["0.0.0.0", "::", "127.0.0.1", "127.1.2.3", "::1", "128.0.0.1", "0.0.0.1", "::2", "fd00::1"].map {
            (IPAddress($0)?.isAny == true ? "any " : "") + (IPAddress($0)?.isLoopback == true ? "here" : "")
        }
        #expect(kinds == ["any ", "any ", "here", "here", "here", "", "", "", ""])
        #expect(IPAddress("127.0.0.1") == .loopback)
    }

    @Test(arguments: [("127.0.0.1", true), ("127.9.8.7", true), ("::1", true), ("203.0.113.7", false), ("2001:db8::7", false)])
    func addressesOfThisMachineAreRecognised(_ text: String, isOwn: Bool) throws { #expect(try #require(IPAddress(text)).isOwn == isOwn) }

    /// A program of another user of this machine may connect from the address of any network interface, so all of them are this machine's.
    @Test func addressesOfAllItsNetworksAreThisMachines() throws {
        var first: UnsafeMutablePointer<ifaddrs>?
        #expect(getifaddrs(&first) == 0)
        defer { freeifaddrs(first) }
        for each in sequence(first: first, next: { $0?.pointee.ifa_next }) {
            guard let address = each?.pointee.ifa_addr, [AF_INET, AF_INET6].contains(Int32(address.pointee.sa_family)) else { continue }
            var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
            let size = socklen_t(address.pointee.sa_family == AF_INET ? MemoryLayout<sockaddr_in>.size : MemoryLayout<sockaddr_in6>.size)
            #expect(getnameinfo(address, size, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST) == 0)
            let name = String(
                decoding: text.prefix { $0 != 0 && $0 != CChar(UInt8(ascii: "%")) }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            #expect(try #require(IPAddress(name)).isOwn, "\(name)")
        }
    }

    private func server(_ address: String, port: UInt16 = 0, hosts: [String] = ["127.0.0.1", "127.0.0.2"]) throws -> WebServer {
        try WebServer(listening: .port(port, of: try #require(IPAddress(address))), hosts: hosts) { _ in .text("yes") }
    }

    private func answers(_ address: String, _ server: WebServer) -> Bool {
        (try? HTTPProbe.send("GET", "http://\(address):\(server.port)/"))?.text == "yes"
    }

    @Test func definiteAddressIsTheOnlyOne() throws {
        let here = try server("127.0.0.1")
        #expect(answers("127.0.0.1", here) && !answers("127.0.0.2", here))
        #expect(throws: HTTPProbe.Failure.self) { try HTTPProbe.connect(to: "127.0.0.2", port: here.port) }
        // Two servers use one port, each at its own address.
        let there = try server("127.0.0.2", port: here.port)
        #expect(there.port == here.port && answers("127.0.0.2", there))
        there.stop()
        #expect(answers("127.0.0.1", here) && !answers("127.0.0.2", here))
    }

    @Test(arguments: ["0.0.0.0", "::"]) func wildcardIsEveryOne(address: String) throws {
        guard address == "0.0.0.0" || Self.hasVersion6 else { return }
        let server = try server(address)
        #expect(answers("127.0.0.1", server) && answers("127.0.0.2", server) && !answers("127.0.0.3", server))
        // No other server can use a single address of that port.
        let error = #expect(throws: Trouble.self) { try self.server("127.0.0.1", port: server.port) }
        #expect(error?.description.contains("port \(server.port) of 127.0.0.1") == true)
    }

    @Test(.enabled(if: hasVersion6, "needs IPv6")) func hostsOfVersion6HaveTheServersPort() throws {
        let server = try server("::1", hosts: ["[::1]", "[fd00::5]:8080"])
        for (host, status) in [
            ("[::1]:\(server.port)", 200), ("[fd00::5]:8080", 200), ("[::1]", 403), ("[::1]:80", 403), ("::1:\(server.port)", 403),
            ("[fd00::5]:\(server.port)", 403),
        ] {
            let socket = Glibc.socket(AF_INET6, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
            defer { close(socket) }
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = server.port.bigEndian
            address.sin6_addr = in6addr_loopback
            let code = withUnsafePointer(to: &address) { address in
                address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in6>.size))
                }
            }
            try #require(code == 0)
            let text = "GET / HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\n\r\n"
            send(socket, text, text.utf8.count, Int32(MSG_NOSIGNAL))
            var bytes = [UInt8](repeating: 0, count: 12)
            #expect(recv(socket, &bytes, 12, Int32(MSG_WAITALL)) == 12)
            #expect(String(decoding: bytes, as: UTF8.self) == "HTTP/1.1 \(status)", "\(host)")
        }
    }

    /// A laptop may be started before it joins its network, so a server may listen at an address that the machine does not have yet.
    @Test func addressMayComeLater() throws {
        #expect(try server("192.0.2.1").port != 0)
    }

    private static var hasVersion6: Bool {
        IPAddress("::1").map { (try? WebServer(listening: .port(0, of: $0)) { _ in .text("") }) != nil } ?? false
    }
}
