import CMicroHTTPD

/// Provides a body piece by piece, on the server's thread.
protocol PieceSource: AnyObject {
    /// The value of `Content-Length`; `PieceEnd.unknown` for a body in chunks.
    var announced: UInt64 { get }
    /// Returns the number of bytes, 0 if the connection is held back, or one of `PieceEnd`.
    func read(from position: Int, into buffer: UnsafeMutableRawBufferPointer) -> Int
}

/// MHD_CONTENT_READER_END_… and MHD_SIZE_UNKNOWN, which Swift does not import because they are casts.
enum PieceEnd {
    static let whole = -1
    static let brokenOff = -2
    static let unknown = UInt64.max
}

/// Holds a source for C.
private final class PieceBox {
    let source: any PieceSource

    init(_ source: any PieceSource) {
        self.source = source
    }
}

extension PieceSource {
    /// The response, which keeps this source from then on.
    func response() -> OpaquePointer? {
        let owned = Unmanaged.passRetained(PieceBox(self))
        let response = MHD_create_response_from_callback(
            announced, 32 << 10,
            { context, position, buffer, capacity in
                guard let context, let buffer else { return PieceEnd.brokenOff }
                let box = Unmanaged<PieceBox>.fromOpaque(context).takeUnretainedValue()
                return box.source.read(
                    from: Int(position), into: UnsafeMutableRawBufferPointer(start: buffer, count: capacity))
            }, owned.toOpaque(),
            { context in
                if let context { Unmanaged<PieceBox>.fromOpaque(context).release() }
            })
        if response == nil { owned.release() }
        return response
    }
}
