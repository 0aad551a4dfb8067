import CMicroHTTPD

/// A body that libmicrohttpd asks for piece by piece. Its thread alone touches it.
final class BodyInPieces {
    private let bytes: [UInt8]
    /// What `Content-Length` says.
    private let announced: Int
    /// How many bytes are given before the connection breaks off, if that is less than announced.
    private let available: Int
    private let pace: (bytes: Int, pause: Duration)?
    private let connection: OpaquePointer
    private let pauses: Pauses
    private var mayGoOn = true

    init(_ reply: WebReply, connection: OpaquePointer, pauses: Pauses) {
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
        self.announced = announced
        self.available = available
        self.pace = pace
        self.connection = connection
        self.pauses = pauses
    }

    /// The response, which owns this body from then on.
    func response() -> OpaquePointer? {
        let owned = Unmanaged.passRetained(self)
        let response = MHD_create_response_from_callback(
            UInt64(announced), 32 << 10,
            { context, position, buffer, capacity in
                guard let context, let buffer else { return BodyInPieces.brokenOff }
                let body = Unmanaged<BodyInPieces>.fromOpaque(context).takeUnretainedValue()
                return body.read(from: Int(position), into: UnsafeMutableRawBufferPointer(start: buffer, count: capacity))
            }, owned.toOpaque(),
            { context in
                if let context { Unmanaged<BodyInPieces>.fromOpaque(context).release() }
            })
        if response == nil { owned.release() }
        return response
    }

    // MHD_CONTENT_READER_END_WITH_ERROR, a cast that Swift does not import.
    private static let brokenOff = -2

    private func read(from position: Int, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        guard position < available else { return Self.brokenOff }
        var count = min(buffer.count, available - position)
        if let pace {
            guard mayGoOn else {
                mayGoOn = true
                return pauses.hold(connection, for: pace.pause) ? 0 : Self.brokenOff
            }
            mayGoOn = false
            count = min(count, pace.bytes)
        }
        bytes.withUnsafeBytes { buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[position..<(position + count)])) }
        return count
    }
}
