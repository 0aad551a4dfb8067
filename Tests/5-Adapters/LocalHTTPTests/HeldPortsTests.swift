import Glibc
import Platform
import Synchronization
import TestSupport
import Testing

@testable import LocalHTTP

/// While one process hands a port on to the next, no other program can listen there.
@Suite
struct HeldPortsTests {
    /// Below the ports that the system assigns automatically.
    private let port = UInt16.random(in: 12_000...30_000)

    /// Keeps sockets open for the next process.
    private final class Keeper: Sendable {
        private let kept = Mutex<[Int32]>([])

        func ports() -> HeldPorts {
            HeldPorts(kept.withLock { $0.map { fcntl($0, F_DUPFD_CLOEXEC, 0) } }) { sockets in
                self.kept.withLock { kept in
                    for each in kept { close(each) }
                    kept = sockets.map { fcntl($0, F_DUPFD_CLOEXEC, 0) }
                }
            }
        }

        var count: Int { kept.withLock(\.count) }

        func copies() -> [Int32] { kept.withLock { $0.map { fcntl($0, F_DUPFD_CLOEXEC, 0) } } }

        deinit { for each in kept.withLock(\.self) { close(each) } }
    }

    private func serve(_ words: String, _ ports: HeldPorts, at address: IPAddress = .loopback) throws -> WebServer {
        let server = try WebServer(listening: .port(port, of: address), hosts: ["127.0.0.1"], ports: ports) { _ in .text(words) }
        _ = try ports.reserve(port: port, of: .loopback6)
        ports.settle()
        return server
    }

    private func ask() throws -> String { try HTTPProbe.send("GET", "http://127.0.0.1:\(port)/").text }

    /// Whether a program of another user would fail to listen at `address` and this port.
    private func isTaken(_ address: IPAddress) -> Bool {
        let other = Descriptor(owning: socket(address.isVersion6 ? AF_INET6 : AF_INET, Int32(SOCK_STREAM.rawValue), 0))
        Listening.set(SOL_SOCKET, SO_REUSEADDR, 1, of: other.number)
        return address.bind(other.number, port: port) != 0 || listen(other.number, 1) != 0
    }

    @Test func itStaysTakenAndIsServedAgain() throws {
        let keeper = Keeper()
        for words in ["first", "second", "third"] {
            let ports = keeper.ports()
            let server = try serve(words, ports)
            #expect(try ask() == words)
            #expect(keeper.count == 2)
            server.stop()
            ports.rest()
            #expect(throws: HTTPProbe.Failure.self, "a browser is refused at once") { try ask() }
            for address in [IPAddress.loopback, .loopback6, .any6] { #expect(isTaken(address), "\(words), \(address)") }
        }
    }

    /// After a server has closed a connection, the kernel keeps the connection for a minute. The next process must still get the port.
    @Test func connectionsThatAreLeftOverKeepNoNextProcessOut() throws {
        let keeper = Keeper()
        for words in ["nobody asks", "a browser stays connected", "the next process"] {
            let ports = keeper.ports()
            let server = try serve(words, ports)
            let browser = words == "a browser stays connected" ? try connect() : nil
            server.stop()
            ports.rest()
            if let browser { close(browser) }
        }
    }

    private func connect() throws -> Int32 {
        let browser = try HTTPProbe.connect(port: port)
        let request = Array("GET / HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n".utf8)
        #expect(send(browser, request, request.count, Int32(MSG_NOSIGNAL)) == request.count)
        var answer = [UInt8](repeating: 0, count: 4096)
        #expect(recv(browser, &answer, answer.count, 0) > 0)
        return browser
    }

    /// A killed process cannot stop listening, so the kept sockets still listen when the next process takes them over.
    @Test func afterAKillItIsTakenOverAsItIs() throws {
        let keeper = Keeper()
        let ports = keeper.ports()
        let server = try serve("first", ports)
        let follower = keeper.ports()
        let next = try serve("second", follower)
        server.stop()
        #expect(try ask() == "second")
        next.stop()
    }

    @Test func whereTheAddressIsAnotherOneTheFormerIsLetGo() throws {
        let keeper = Keeper()
        // Here each process ends before the next one begins.
        for address in ["127.0.0.1", "0.0.0.0", "127.0.0.1"] {
            let ports = keeper.ports()
            let server = try serve(address, ports, at: try #require(IPAddress(address)))
            #expect(try ask() == address)
            #expect(keeper.count == 2)
            server.stop()
            ports.rest()
        }
    }

    /// Between fork and exec, a child process has copies of all sockets. They must not keep a port in use.
    @Test func aChildsCopiesAreNotInTheWay() throws {
        let keeper = Keeper()
        var copies: [Int32] = []
        defer { for each in copies { close(each) } }
        for address in ["127.0.0.1", "0.0.0.0", "127.0.0.1"] {
            let ports = keeper.ports()
            let server = try serve(address, ports, at: try #require(IPAddress(address)))
            #expect(try ask() == address)
            server.stop()
            ports.rest()
            copies += keeper.copies()
        }
    }

    @Test func whatIsNoPortIsNotKept() {
        var ends: [Int32] = [-1, -1]
        #expect(pipe(&ends) == 0)
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let near = Descriptor(owning: ends[0])
        let others = HeldPorts([ends[1], -1]) { #expect($0.isEmpty) }
        others.settle()
        var byte: UInt8 = 0
        #expect(read(near.number, &byte, 1) == 0, "nobody can write to it any more")
    }
}
