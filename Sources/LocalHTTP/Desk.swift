import CMicroHTTPD

/// Where libmicrohttpd's callbacks arrive: collects each request, asks the handler, queues the answer.
final class Desk: Sendable {
    private let bodyLimit: Int
    private let handler: WebServer.Handler
    /// The connections that are held back.
    let pauses = Pauses()

    init(bodyLimit: Int, handler: @escaping WebServer.Handler) {
        self.bodyLimit = bodyLimit
        self.handler = handler
    }

    /// Called first with the head alone, then for each piece of the body, last with a size of 0.
    static let access: MHD_AccessHandlerCallback = { context, connection, path, method, _, upload, uploadSize, state in
        guard let context, let connection, let path, let method, let uploadSize, let state else { return MHD_Result.NO }
        let desk = Unmanaged<Desk>.fromOpaque(context).takeUnretainedValue()
        guard let known = state.pointee else {
            let exchange = Exchange(Desk.head(connection, path: String(cString: path), method: String(cString: method)))
            state.pointee = Unmanaged.passRetained(exchange).toOpaque()
            // An answer before the body was read can only be queued now.
            guard let refusal = desk.refusal(exchange.request) else { return MHD_Result.YES }
            return desk.queue(connection, refusal)
        }
        let exchange = Unmanaged<Exchange>.fromOpaque(known).takeUnretainedValue()
        if exchange.isSilent { return MHD_Result.NO }
        if uploadSize.pointee > 0, let upload {
            let piece = UnsafeRawBufferPointer(start: upload, count: uploadSize.pointee)
            uploadSize.pointee = 0
            return exchange.take(piece.bindMemory(to: UInt8.self), limit: desk.bodyLimit) ? MHD_Result.YES : MHD_Result.NO
        }
        let reply = exchange.isTooLarge ? desk.tooLarge : desk.handler(exchange.request)
        exchange.whenOver = reply.whenOver
        if case .never = reply.delivery {
            exchange.isSilent = true
            return desk.pauses.hold(connection, for: nil) ? MHD_Result.YES : MHD_Result.NO
        }
        return desk.queue(connection, reply)
    }

    /// Called once for each request that reached `access`, however it ended.
    static let completed: MHD_RequestCompletedCallback = { _, _, state, _ in
        guard let state, let known = state.pointee else { return }
        state.pointee = nil
        Unmanaged<Exchange>.fromOpaque(known).takeRetainedValue().whenOver?()
    }

    private var tooLarge: WebReply {
        .text(status: 413, "The request's body is larger than \(bodyLimit) bytes.\n")
    }

    /// What is answered without asking the handler.
    private func refusal(_ request: WebRequest) -> WebReply? {
        let host = request.header("Host") ?? ""
        let name = host.split(separator: ":").first ?? ""
        guard name == "127.0.0.1" || name == "localhost" else { return .text(status: 403, "This server answers to this machine only.\n") }
        if request.segments.contains(where: { $0 == "." || $0 == ".." }) { return .text(status: 400, "Not a plain path.\n") }
        if let length = request.header("Content-Length").flatMap({ Int($0) }), length > bodyLimit { return tooLarge }
        return nil
    }

    private static func head(_ connection: OpaquePointer, path: String, method: String) -> WebRequest {
        WebRequest(
            method: method, path: path, query: values(connection, .GET_ARGUMENT_KIND), headers: values(connection, .HEADER_KIND))
    }

    private static func values(_ connection: OpaquePointer, _ kind: MHD_ValueKind) -> [(name: String, value: String)] {
        var found: [(name: String, value: String)] = []
        withUnsafeMutablePointer(to: &found) { found in
            _ = MHD_get_connection_values(
                connection, kind,
                { context, _, name, value in
                    guard let context, let name else { return MHD_Result.YES }
                    let value = value.map { String(cString: $0) } ?? ""
                    context.assumingMemoryBound(to: [(name: String, value: String)].self).pointee.append((String(cString: name), value))
                    return MHD_Result.YES
                }, found)
        }
        return found
    }

    private func queue(_ connection: OpaquePointer, _ reply: WebReply) -> MHD_Result {
        guard let response = response(to: connection, reply) else { return MHD_Result.NO }
        defer { MHD_destroy_response(response) }
        for (name, value) in reply.headers { MHD_add_response_header(response, name, value) }
        return MHD_queue_response(connection, UInt32(reply.status), response)
    }

    private func response(to connection: OpaquePointer, _ reply: WebReply) -> OpaquePointer? {
        guard case .whole = reply.delivery else {
            return BodyInPieces(reply, connection: connection, pauses: pauses).response()
        }
        return reply.body.withUnsafeBytes {
            MHD_create_response_from_buffer($0.count, UnsafeMutableRawPointer(mutating: $0.baseAddress), .RESPMEM_MUST_COPY)
        }
    }
}
