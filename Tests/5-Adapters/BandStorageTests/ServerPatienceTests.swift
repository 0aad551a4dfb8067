import BandLayout
import BandStorage
import Model
import Platform
import TestSupport
import Testing

/// A command waits for a server only until its patience is used up. All requests of a command share one patience.
@Suite(.onLoop)
struct ServerPatienceTests {
    /// Answers each request after the next of `delays`, or at once if none is left. Fails when the request's patience is over.
    @LoopActor
    private final class LateStore: HTTPTransport {
        let store: FakeStore
        let clock: SimulatedClock
        var delays: [Duration] = []
        var asked: [Duration?] = []

        init(_ store: FakeStore, _ clock: SimulatedClock) { (self.store, self.clock) = (store, clock) }

        private func wait(_ request: HTTPRequest) throws(HTTPFailure) {
            asked.append(request.patience)
            let delay = delays.isEmpty ? .zero : delays.removeFirst()
            clock.skip(min(delay, request.patience ?? .seconds(60)))
            guard delay < request.patience ?? .seconds(60) else { throw HTTPFailure(.interrupted, "example.org: silence") }
        }

        func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
            try wait(request)
            return try await store.send(request)
        }

        func send(
            _ request: HTTPRequest, body sink: @escaping @LoopActor (UnsafeRawBufferPointer) -> Bool
        ) async throws(HTTPFailure) -> HTTPResponse {
            try wait(request)
            return try await store.send(request, body: sink)
        }
    }

    @LoopActor
    private struct Bench {
        let clock = SimulatedClock()
        let server: LateStore
        let marker = BandMarker(id: BandDevice("bandbandbandband"), name: "Harmony").bytes
        private let address: StorageAddress
        private let patience: ServerPatience?

        init(isSigned: Bool, isPatient: Bool = false) throws {
            let store = FakeStore("https://example.org/\(isSigned ? "bucket" : "dav")/band", hasFolders: !isSigned)
            server = LateStore(store, clock)
            address =
                try isSigned ? StorageAddress("s3://bucket/band", endpoint: "https://example.org") : StorageAddress(store.base)
            patience = isPatient ? nil : ServerPatience()
        }

        /// A carrier as a command makes it. All carriers share one patience.
        func carrier() -> StorageCarrier {
            StorageCarrier(address, transport: server, patience: patience, time: clock, side: SideThread(inline: true))
        }

        /// Makes the server a band's place, as `woodshed band create` does, and returns how long that took, and any trouble.
        func create() async -> (took: Duration, trouble: Trouble?) {
            let start = clock.now
            do throws(Trouble) {
                _ = try await carrier().get(BandPath.marker, limit: BandMarker.limit)
                try await carrier().put(marker, as: BandPath.marker)
                return (clock.now - start, nil)
            } catch {
                return (clock.now - start, error)
            }
        }
    }

    @Test(arguments: [false, true], 0..<4) @LoopActor func aServerThatFallsSilentIsNotAskedAgain(isSigned: Bool, answered: Int) async throws
    {
        let bench = try Bench(isSigned: isSigned)
        bench.server.delays = Array(repeating: .milliseconds(100), count: answered) + [.seconds(3600)]
        let (took, trouble) = await bench.create()
        #expect(took < .seconds(9))
        #expect(trouble?.kind == .away && trouble?.description.contains("example.org does not answer") == true, "\(trouble as Any)")
        let asked = bench.server.asked.count
        for _ in 0..<3 { await #expect(throws: Trouble.self) { try await bench.carrier().get(BandPath.marker, limit: 100) } }
        await #expect(throws: Trouble.self) { try await bench.carrier().put(bench.marker, as: BandPath.marker) }
        #expect(bench.server.asked.count == asked && asked == answered + 1)
    }

    /// Each request may use only what earlier waits have left of the patience, so several long waits do not add up.
    @Test @LoopActor func whatWasWaitedForIsNotWaitedForAgain() async throws {
        let bench = try Bench(isSigned: false)
        bench.server.delays = Array(repeating: .seconds(5), count: 9)
        let (took, trouble) = await bench.create()
        #expect(trouble != nil && took <= .seconds(12))
        #expect(bench.server.asked.compactMap(\.self) == [.seconds(8), .seconds(5)])
    }

    @Test(arguments: [false, true]) @LoopActor func aSlowNetworkTakesTheTimeThatItNeeds(isSigned: Bool) async throws {
        let bench = try Bench(isSigned: isSigned)
        bench.server.delays = Array(repeating: .seconds(2), count: 20)
        let (took, trouble) = await bench.create()
        #expect(trouble == nil && took >= .seconds(8))
        #expect(bench.server.store.files[BandPath.marker] == bench.marker)
    }

    /// A transfer that makes progress uses up no patience, however long it takes.
    @Test @LoopActor func whatMovesIsNoSilence() async throws {
        let bench = try Bench(isSigned: false)
        let large = Array(repeating: UInt8(7), count: 400_000)
        let path = BandPath.object(SHA256.digest(of: large), of: BandDevice("aaaaaaaaaaaaaaaa"))
        bench.server.store.set(bench.marker, at: BandPath.marker)
        bench.server.store.set(large, at: path)
        let carrier = bench.carrier()
        _ = try await carrier.heads(known: [])
        bench.server.delays = [.seconds(7)]
        #expect(try await carrier.get(path, limit: large.count) == large)
        #expect(try await carrier.get(BandPath.head(of: BandDevice("aaaaaaaaaaaaaaaa")), limit: 100) == nil)
        #expect(bench.server.asked.last == .some(.seconds(8)))
    }

    /// The agent needs no limit, because no person waits for it.
    @Test @LoopActor func whoHasNoLimitWaits() async throws {
        let bench = try Bench(isSigned: false, isPatient: true)
        bench.server.delays = Array(repeating: .seconds(29), count: 20)
        #expect(await bench.create().trouble == nil)
        #expect(bench.server.asked.allSatisfy { $0 == nil })
    }
}
