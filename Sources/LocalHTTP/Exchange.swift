/// One request while it arrives and until its answer is sent. The server's thread alone touches it.
final class Exchange {
    var request: WebRequest
    /// The body is larger than allowed: what comes is counted and dropped.
    var isTooLarge = false
    var received = 0
    /// The answer that was found elsewhere.
    var late: WebReply?
    /// Of a request that waits for such an answer.
    var ticket: Ticket?
    /// By which letters name it, once it waits or streams.
    var number: Int?
    var stream: EventStream?
    var whenOver: (@Sendable () -> Void)?

    init(_ request: WebRequest) {
        self.request = request
    }

    /// Takes a piece of the body; `false` when so much too much has come that the connection is to be cut.
    func take(_ bytes: UnsafeBufferPointer<UInt8>, limit: Int) -> Bool {
        received += bytes.count
        if received > limit {
            isTooLarge = true
            request.body = []
        } else {
            request.body.append(contentsOf: bytes)
        }
        // The answer 413 can only be sent at the body's end; a client that never ends is not read for ever.
        return received <= 2 * limit + 65536
    }

    /// Tells everybody who waits for the end.
    func end() {
        ticket?.gone()
        stream?.end()
        late?.abandon()
        whenOver?()
    }
}
