import CMicroHTTPD

/// A body that libmicrohttpd asks for piece by piece. Only the server's thread uses it.
final class BodyInPieces: PieceSource {
    private let bytes: [UInt8]
    /// The value of `Content-Length`.
    let announced: UInt64
    /// How many bytes are sent before the connection breaks off, if fewer than announced.
    private let available: Int
    private let pace: (bytes: Int, pause: Duration)?
    private let visitor: Visitor
    private var mayGoOn = true

    init(_ reply: WebReply, for visitor: Visitor) {
        bytes = reply.body
        var announced = bytes.count
        var available = bytes.count
        var pace: (bytes: Int, pause: Duration)?
        switch reply.delivery {
        case .whole, .never: break
        case .trickle(let bytes, let pause): pace = (max(1, bytes), pause)
        case .brokenOff(let count): available = min(count, available)
        case .announced(let length): announced = length
        }
        self.announced = UInt64(announced)
        self.available = available
        self.pace = pace
        self.visitor = visitor
    }

    func read(from position: Int, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        guard position < available, !visitor.isCut else { return PieceEnd.brokenOff }
        var count = min(buffer.count, available - position)
        if let pace {
            guard mayGoOn else {
                mayGoOn = true
                let now = MonotonicTime.now
                visitor.enter(.held, now: now, deadline: now + MonotonicTime.nanoseconds(pace.pause))
                visitor.suspend()
                return 0
            }
            mayGoOn = false
            count = min(count, pace.bytes)
        }
        bytes.withUnsafeBytes { buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[position..<(position + count)])) }
        return count
    }
}
