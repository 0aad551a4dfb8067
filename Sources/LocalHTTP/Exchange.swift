/// One request while it arrives and until its answer is sent. libmicrohttpd's thread alone touches it.
final class Exchange {
    var request: WebRequest
    /// The body is larger than allowed: what comes is counted and dropped.
    var isTooLarge = false
    var received = 0
    /// It is never to be answered; its connection is closed as soon as it is looked at again.
    var isSilent = false
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
}
