import CMicroHTTPD
import Glibc

/// MHD_CONTENT_READER_END_… and MHD_SIZE_UNKNOWN, which Swift does not import because they are casts.
enum PieceEnd {
    static let whole = -1
    static let brokenOff = -2
    static let unknown = UInt64.max
}

/// Provides a body piece by piece, on the server's thread.
class PieceSource {
    /// The value of `Content-Length`; `PieceEnd.unknown` for a chunked body.
    private let announced: UInt64

    init(announced: UInt64) { self.announced = announced }

    /// Fills `buffer` and returns the number of bytes, 0 if the connection is held back, or one of `PieceEnd`.
    func read(from position: Int, into buffer: UnsafeMutableRawBufferPointer) -> Int { PieceEnd.brokenOff }

    /// Makes the response, which keeps this source alive.
    final func response() -> OpaquePointer? {
        let owned = Unmanaged.passRetained(self)
        let response = MHD_create_response_from_callback(
            announced, 32 << 10,
            { context, position, buffer, capacity in
                guard let context, let buffer else { return PieceEnd.brokenOff }
                let source = Unmanaged<PieceSource>.fromOpaque(context).takeUnretainedValue()
                return source.read(from: Int(position), into: UnsafeMutableRawBufferPointer(start: buffer, count: capacity))
            }, owned.toOpaque(),
            { context in
                if let context { Unmanaged<PieceSource>.fromOpaque(context).release() }
            })
        if response == nil { owned.release() }
        return response
    }
}

/// A body that libmicrohttpd asks for piece by piece. Only the server's thread uses it.
final class BodyInPieces: PieceSource {
    private let bytes: [UInt8]
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
        (self.available, self.pace, self.visitor) = (available, pace, visitor)
        super.init(announced: UInt64(announced))
    }

    override func read(from position: Int, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        guard position < available, !visitor.isCut else { return PieceEnd.brokenOff }
        var count = min(buffer.count, available - position)
        if let pace {
            guard mayGoOn else {
                mayGoOn = true
                visitor.enter(.held, deadline: .now + pace.pause)
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

/// Makes libmicrohttpd's responses, which the caller then owns.
enum Answer {
    static func response(_ reply: WebReply, for visitor: Visitor) -> OpaquePointer? {
        guard case .whole = reply.delivery else { return BodyInPieces(reply, for: visitor).response() }
        // Lend a large body: copying it would cost more than sending it.
        if reply.body.count >= LentBody.least { return LentBody(reply.body).response() }
        return reply.body.withUnsafeBytes {
            MHD_create_response_from_buffer($0.count, UnsafeMutableRawPointer(mutating: $0.baseAddress), .RESPMEM_MUST_COPY)
        }
    }

    static func response(_ file: ServedFile) -> OpaquePointer? {
        guard let descriptor = file.take() else { return nil }
        var status = stat()
        // Refuse a file that was cut off, since libmicrohttpd would wait for the rest.
        guard fstat(descriptor, &status) == 0, status.st_size >= file.size else {
            close(descriptor)
            return nil
        }
        let response = MHD_create_response_from_fd64(UInt64(file.size), descriptor)
        if response == nil { close(descriptor) }
        return response
    }
}

/// A body that libmicrohttpd sends without copying it. The body is kept alive until it is sent.
final class LentBody {
    private let bytes: [UInt8]

    /// The smallest body to lend. Smaller ones are cheaper to copy.
    static let least = 16 << 10

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// A response that keeps this body alive; the caller owns it.
    func response() -> OpaquePointer? {
        let lent = Unmanaged.passRetained(self)
        // An array that is kept alive and not changed stays at its address.
        let response = bytes.withUnsafeBytes { bytes in
            MHD_create_response_from_buffer_with_free_callback_cls(
                bytes.count, UnsafeMutableRawPointer(mutating: bytes.baseAddress), LentBody.giveBack, lent.toOpaque())
        }
        if response == nil { lent.release() }
        return response
    }

    private static let giveBack: MHD_ContentReaderFreeCallback = { context in
        if let context { Unmanaged<LentBody>.fromOpaque(context).release() }
    }
}
