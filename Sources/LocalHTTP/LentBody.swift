import CMicroHTTPD

/// A body that libmicrohttpd sends from where it lies, and that is kept until it has.
final class LentBody {
    private let bytes: [UInt8]

    /// Less is cheaper copied.
    static let least = 16 << 10

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// A response that keeps this body; its owner is the caller.
    func response() -> OpaquePointer? {
        let lent = Unmanaged.passRetained(self)
        // An array that is held and that nobody changes stays where it is.
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
