import CMicroHTTPD
import Glibc

/// libmicrohttpd's responses; the caller owns them.
enum Answer {
    static func response(_ reply: WebReply, for visitor: Visitor) -> OpaquePointer? {
        guard case .whole = reply.delivery else { return BodyInPieces(reply, for: visitor).response() }
        // Copying a page would cost more than sending it.
        if reply.body.count >= LentBody.least { return LentBody(reply.body).response() }
        return reply.body.withUnsafeBytes {
            MHD_create_response_from_buffer($0.count, UnsafeMutableRawPointer(mutating: $0.baseAddress), .RESPMEM_MUST_COPY)
        }
    }

    static func response(_ file: ServedFile) -> OpaquePointer? {
        guard let descriptor = file.take() else { return nil }
        var status = stat()
        // If the file had been cut off, libmicrohttpd would wait for the rest.
        guard fstat(descriptor, &status) == 0, status.st_size >= file.size else {
            close(descriptor)
            return nil
        }
        let response = MHD_create_response_from_fd64(UInt64(file.size), descriptor)
        if response == nil { close(descriptor) }
        return response
    }
}
