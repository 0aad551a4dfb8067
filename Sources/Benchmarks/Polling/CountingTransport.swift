import Platform

/// Counts what is sent over another transport.
@LoopActor
final class CountingTransport: HTTPTransport {
    private let inner: any HTTPTransport
    private(set) var requests = 0
    private(set) var received = 0

    init(_ inner: any HTTPTransport) {
        self.inner = inner
    }

    func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
        requests += 1
        let response = try await inner.send(request)
        received += response.body.count
        return response
    }

    func send(
        _ request: HTTPRequest, body sink: @escaping @LoopActor (UnsafeRawBufferPointer) -> Bool
    ) async throws(HTTPFailure) -> HTTPResponse {
        requests += 1
        let response = try await inner.send(request) { [self] bytes in
            received += bytes.count
            return sink(bytes)
        }
        received += response.body.count
        return response
    }
}
