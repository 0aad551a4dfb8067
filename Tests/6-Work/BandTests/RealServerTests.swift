import BandLayout
import BandStorage
import Glibc
import Model
import Platform
import TestSupport
import Testing

/// The messages about real servers that refuse a request, or do not have the requested place.
@Suite(.onLoop, .needs(.otherPrograms))
struct RealServerTests {
    private static let kinds = StorageServer.Kind.allCases.filter(\.isDue)
    private static let signedKinds = kinds.filter { $0.speech == .s3 }
    private let one = BandDevice("aaaaaaaaaaaaaaaa")
    private let clock = SimulatedClock()

    // The lists of arguments leave out servers that are not installed, so these tests show each of them as skipped.
    @Test(.whereInstalled(.apache)) func apacheIsTried() { #expect(Self.kinds.contains(.apache)) }
    @Test(.whereInstalled(.lighttpd)) func lighttpdIsTried() { #expect(Self.kinds.contains(.lighttpd)) }
    @Test(.whereInstalled(.nginx)) func nginxIsTried() { #expect(Self.kinds.contains(.nginx)) }
    @Test(.whereInstalled(.wsgidav)) func wsgidavIsTried() { #expect(Self.kinds.contains(.wsgidav)) }
    @Test(.whereInstalled(.rcloneWebDAV)) func rcloneIsTried() {
        #expect(Self.kinds.contains(.rcloneWebDAV) && Self.kinds.contains(.rcloneS3))
    }
    @Test(.whereInstalled(.seaweedfs)) func seaweedIsTried() { #expect(Self.kinds.contains(.seaweedfs)) }

    @LoopActor private func place(_ kind: StorageServer.Kind) async throws -> RealPlace {
        let place = try await RealPlace(kind)
        try await place.set(BandMarker(id: one, name: "Harmony").bytes, at: BandPath.marker)
        return place
    }

    /// The trouble that prevents both reading and writing.
    @LoopActor private func trouble(_ carrier: StorageCarrier) async throws -> Trouble {
        let put = await #expect(throws: Trouble.self) { try await carrier.put([1], as: BandPath.head(of: one)) }
        let read = await #expect(throws: Trouble.self) { try await carrier.heads(known: [one]) }
        #expect(try #require(put).description == #require(read).description)
        return try #require(read)
    }

    @Test(arguments: kinds) @LoopActor func whoHasAnotherPasswordIsRefusedAndToldSo(kind: StorageServer.Kind) async throws {
        let place = try await place(kind)
        for (user, password) in [(place.server.user, "guessed"), ("stranger", place.server.password)] {
            let trouble = try await trouble(place.carrier(key: StorageKey(Secret("\(user):\(password)")), time: clock))
            #expect(trouble.kind == .refused && trouble.description.contains("band.key_file"), "\(user): \(trouble)")
        }
        #expect(try await place.bytes(at: BandPath.head(of: one)) == nil)
        #expect(try await place.carrier(time: clock).heads(known: [one]).heads == [])
    }

    @Test(arguments: kinds) @LoopActor func anotherFolderOrBucketIsNotThePlace(kind: StorageServer.Kind) async throws {
        let place = try await place(kind)
        let trouble = try await trouble(place.carrier(RealPlace.address(at: place.server, share: "bnad"), time: clock))
        #expect(trouble.kind == .away && trouble.description.contains("bnad"), "\(trouble)")
    }

    @Test(arguments: signedKinds) @LoopActor func anotherRegionIsNoMatterOrIsSaid(kind: StorageServer.Kind) async throws {
        let place = try await place(kind)
        let carrier = place.carrier(try RealPlace.address(at: place.server, region: "eu-central-1"), time: clock)
        do throws(Trouble) {
            #expect(try await carrier.heads(known: [one]).heads == [])
        } catch {
            #expect(error.description.contains("band.region"), "\(error)")
        }
    }

    @Test(arguments: signedKinds) @LoopActor func aClockThatIsOffIsSaid(kind: StorageServer.Kind) async throws {
        let (place, time) = (try await place(kind), SimulatedClock(wallTime: SystemClock().wallTime - LateTransport.delay))
        let trouble = try await trouble(place.carrier(transport: LateTransport(place.transport), time: time))
        #expect(trouble.kind == .away && trouble.description.contains("clock is off"), "\(trouble)")
    }

    @Test(arguments: kinds) @LoopActor func whatBrokeOffWithTheServerIsPutAgain(kind: StorageServer.Kind) async throws {
        let place = try await place(kind)
        try await place.set([1], at: BandPath.head(of: one))
        let marks = [UInt8](repeating: UInt8(ascii: "x"), count: 400_000)
        let path = BandPath.object(SHA256.digest(of: marks), of: one)
        let relay = try Relay(to: place.server.port, bytes: marks.count / 2)
        AfterTest.end { relay.close() }
        let carrier = place.carrier(try RealPlace.address(at: place.server, port: relay.port), time: clock)
        spawn {
            try? await waitUntil({ relay.isHolding })
            await place.server.kill()
        }
        await #expect(throws: Trouble.self) { try await carrier.put(marks, as: path) }
        #expect(relay.isHolding)
        try await place.server.restart()
        #expect(try await place.carrier(time: clock).get(path, limit: marks.count) == nil)
        try await place.carrier(time: clock).put(marks, as: path)
        #expect(try await place.carrier(time: clock).get(path, limit: marks.count) == marks)
    }
}

/// Signs requests as on a machine whose clock is an hour slow.
@LoopActor
private final class LateTransport: HTTPTransport {
    static let delay: Duration = .seconds(3600)
    private let inner: any HTTPTransport

    init(_ inner: any HTTPTransport) { self.inner = inner }

    /// libcurl takes the time from this header.
    private func late(_ request: HTTPRequest) -> HTTPRequest {
        var (moment, parts, text) = (Glibc.time(nil) - Int(Self.delay.components.seconds), tm(), [CChar](repeating: 0, count: 17))
        gmtime_r(&moment, &parts)
        strftime(&text, text.count, "%Y%m%dT%H%M%SZ", &parts)
        var request = request
        request.headers.append(("X-Amz-Date", String(decoding: text.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)))
        return request
    }

    func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse { try await inner.send(late(request)) }

    func send(
        _ request: HTTPRequest, body sink: @escaping @LoopActor (UnsafeRawBufferPointer) -> Bool
    ) async throws(HTTPFailure) -> HTTPResponse { try await inner.send(late(request), body: sink) }
}
