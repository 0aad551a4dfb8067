/// One request, from its arrival until its answer is sent. Only the server's thread uses it.
final class Exchange {
    var request: WebRequest
    /// Whether the body is larger than allowed: the rest of it is counted and dropped.
    var isTooLarge = false
    var received = 0
    /// The answer that was found elsewhere.
    var late: WebReply?
    /// For a request that waits for such an answer.
    var ticket: Ticket?
    /// The number by which letters refer to it, once it waits or streams.
    var number: Int?
    var stream: EventStream?
    var whenOver: (@Sendable () -> Void)?

    init(_ request: WebRequest) {
        self.request = request
    }

    /// Takes a piece of the body; `false` if so much more than allowed has arrived that the connection is to be cut.
    func take(_ bytes: UnsafeBufferPointer<UInt8>, limit: Int) -> Bool {
        received += bytes.count
        if received > limit {
            isTooLarge = true
            request.body = []
        } else {
            request.body.append(contentsOf: bytes)
        }
        // A 413 can only be sent at the end of the body; but a client that never ends is not read for ever.
        return received <= 2 * limit + 65536
    }

    /// Tells everybody who waits that it is over.
    func end() {
        ticket?.gone()
        stream?.end()
        late?.abandon()
        whenOver?()
    }
}
