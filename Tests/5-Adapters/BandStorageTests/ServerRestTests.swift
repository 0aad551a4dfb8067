import BandLayout
import BandStorage
import Model
import Platform
import TestSupport
import Testing

/// When a server demands a pause in answer to one request, a concurrent request may still get a normal answer afterwards.
/// That answer must not end the pause.
@Suite(.onLoop)
struct ServerRestTests {
    @LoopActor
    private final class Crossing: HTTPTransport {
        let store: FakeStore
        let late: String
        var isToldToRest = false
        private var waiting: CheckedContinuation<Void, Never>?

        init(_ store: FakeStore, late: String) { (self.store, self.late) = (store, late) }

        func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
            if request.url.hasSuffix(late), !isToldToRest { await withCheckedContinuation { waiting = $0 } }
            let response = try await store.send(request)
            if response.status == 503 {
                isToldToRest = true
                waiting?.resume()
                waiting = nil
            }
            return response
        }

        func send(
            _ request: HTTPRequest, body sink: @escaping @LoopActor (UnsafeRawBufferPointer) -> Bool
        ) async throws(HTTPFailure) -> HTTPResponse { try await store.send(request, body: sink) }
    }

    @Test @LoopActor func anAnswerToAnEarlierRequestEndsNoRest() async throws {
        let (clock, store) = (SimulatedClock(), FakeStore("https://example.org/dav/band", hasFolders: true))
        let (first, second) = (BandDevice("aaaaaaaaaaaaaaaa"), BandDevice("bbbbbbbbbbbbbbbb"))
        store.set(BandMarker(id: BandDevice("bandbandbandband"), name: "Harmony").bytes, at: BandPath.marker)
        let crossing = Crossing(store, late: BandPath.head(of: first))
        let carrier = StorageCarrier(
            try StorageAddress(store.base), transport: crossing, time: clock, side: SideThread(inline: true))
        store.fault = { _, path in path == BandPath.head(of: second) ? .status(503, retryAfter: 600) : nil }
        await #expect(throws: Trouble.self) { try await carrier.heads(known: [first, second]) }
        #expect(crossing.isToldToRest)
        store.fault = nil
        store.forget()
        clock.skip(.seconds(590))
        await #expect(throws: Trouble.self) { try await carrier.heads(known: [first, second]) }
        #expect(store.requests.isEmpty)
        clock.skip(.seconds(20))
        _ = try await carrier.heads(known: [first, second])
    }
}
