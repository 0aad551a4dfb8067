import BandLayout
import BandStorage
import HTTPClient
import Model
import Platform
import TestSupport
import Testing

/// A band's place on a real server, reached with the product's own client, and directly with the curl program.
@LoopActor
final class RealPlace {
    let server: StorageServer
    let address: StorageAddress
    let transport = CurlTransport(userAgent: "woodshed-tests/1", allowsInsecureLoopback: true)
    /// The place's folder, or the beginning of its objects' names.
    private static let name = "harmony"

    init(_ kind: StorageServer.Kind) async throws {
        server = try await StorageServer.start(kind)
        address = try Self.address(at: server)
        AfterTest.end { [transport] in transport.close() }
    }

    /// The address as written in the configuration, possibly with a wrong folder, bucket or region.
    static func address(
        at server: StorageServer, port: UInt16? = nil, share: String = "band", region: String? = nil
    ) throws -> StorageAddress {
        let root = "http://127.0.0.1:\(port ?? server.port)"
        guard server.kind.speech == .s3 else { return try StorageAddress("\(root)/\(share)/\(name)/") }
        return try StorageAddress("s3://\(share)/\(name)", endpoint: root, region: region ?? server.region)
    }

    func carrier(
        _ address: StorageAddress? = nil, key: StorageKey? = nil, transport: (any HTTPTransport)? = nil, time: any TimeKeeper
    ) -> StorageCarrier {
        let key = key ?? StorageKey(Secret("\(server.user):\(server.password)"))
        return StorageCarrier(
            address ?? self.address, transport: transport ?? self.transport, key: { _ in key }, time: time, side: SideThread(inline: true))
    }

    /// Writes or removes a file, as another program would.
    func set(_ bytes: [UInt8]?, at path: String) async throws {
        let file = "\(Self.name)/\(path)"
        guard let bytes else { return try expect(await server.ask("DELETE", file), [200, 204], "DELETE \(path)") }
        if server.kind.speech == .webDAV {
            var folder = ""
            for part in file.split(separator: "/").dropLast() {
                folder += part + "/"
                try expect(await server.ask("MKCOL", folder), [201, 405], "MKCOL \(folder)")
            }
        }
        try expect(await server.ask("PUT", file, body: bytes), [200, 201, 204], "PUT \(path)")
    }

    func bytes(at path: String) async throws -> [UInt8]? {
        let answer = try await server.ask("GET", "\(Self.name)/\(path)")
        if answer.status == 404 { return nil }
        try expect(answer, [200], "GET \(path)")
        return answer.body
    }

    private func expect(_ answer: StorageServer.Answer, _ statuses: [Int], _ what: String) throws {
        try #require(statuses.contains(answer.status), "\(server.kind.rawValue), \(what): \(answer.status) \(answer.text)")
    }
}
