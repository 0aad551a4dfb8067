import CMicroHTTPD

/// A body that libmicrohttpd sends without copying it, and that is kept until it was sent.
final class LentBody {
    private let bytes: [UInt8]

    /// The smallest size for this; anything less is cheaper to copy.
    static let least = 16 << 10

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// A response that keeps this body alive; the caller owns it.
    func response() -> OpaquePointer? {
        let lent = Unmanaged.passRetained(self)
        // An array that is kept and that nobody changes stays at its address.
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
