import Glibc
import Platform

/// How often per second one resource can be fetched from a server, over persistent connections.
struct RequestRate {
    private let connections: [WebConnection]
    private let request: [UInt8]

    /// Connects, and asks once; the answer must have this size.
    init(port: UInt16, connections count: Int, request: [UInt8], size: Int) throws {
        connections = try (0..<count).map { _ in try WebConnection(port: port) }
        self.request = request
        for connection in connections {
            let body = try connection.ask(request)
            guard body.count == size else { throw BenchmarkFailure("\(body.count) bytes came instead of \(size):\n\(connection.head)") }
        }
    }

    /// Asks on every connection for this long, on each again as soon as its answer has arrived.
    func perSecond(for milliseconds: Double) throws -> Double {
        let start = ProcessFigures.wallMilliseconds
        var answers = 0
        for connection in connections { try connection.send(request) }
        var waits = connections.map { pollfd(fd: $0.socket.number, events: Int16(POLLIN), revents: 0) }
        var underWay = connections.count
        while underWay > 0 {
            poll(&waits, nfds_t(waits.count), -1)
            for place in waits.indices where waits[place].revents != 0 {
                guard try connections[place].receive(keepsBody: false) else { continue }
                answers += 1
                guard connections[place].status == 200 else { throw BenchmarkFailure("an answer is \(connections[place].status)") }
                if ProcessFigures.wallMilliseconds - start < milliseconds {
                    try connections[place].send(request)
                } else {
                    waits[place].fd = -1
                    underWay -= 1
                }
            }
        }
        return Double(answers) / (ProcessFigures.wallMilliseconds - start) * 1000
    }
}
