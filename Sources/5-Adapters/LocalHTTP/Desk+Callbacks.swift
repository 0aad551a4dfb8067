import CMicroHTTPD

/// The functions that libmicrohttpd calls.
extension Desk {
    private static func desk(_ context: UnsafeMutableRawPointer?) -> Desk? {
        context.map { Unmanaged<Desk>.fromOpaque($0).takeUnretainedValue() }
    }

    private static func visitor(_ connection: OpaquePointer?) -> Visitor? {
        connection.flatMap { woodshed_mhd_socket_context($0) }.map { Unmanaged<Visitor>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Called when a connection begins and when it ends.
    static let connection: MHD_NotifyConnectionCallback = { context, connection, place, _ in
        guard let desk = desk(context), let connection, let place else { return }
        if let known = place.pointee {
            place.pointee = nil
            desk.forget(Unmanaged<Visitor>.fromOpaque(known).takeRetainedValue())
        } else {
            place.pointee = Unmanaged.passRetained(desk.welcome(connection)).toOpaque()
        }
    }

    /// Called once a request's first line has arrived, before it is decoded.
    static let line: woodshed_mhd_line_callback = { context, target, connection in
        if let desk = desk(context), let visitor = visitor(connection), let target { desk.begin(visitor, target: target) }
        return nil
    }

    /// Called first with only the head, then for each piece of the body, at last with a size of 0; and again after each wait.
    static let access: MHD_AccessHandlerCallback = { context, connection, path, method, _, upload, uploadSize, _ in
        guard let desk = desk(context), let connection, let visitor = visitor(connection), !visitor.isCut, let path, let method,
            let uploadSize
        else { return MHD_Result.NO }
        guard let exchange = visitor.exchange else {
            var head = WebRequest(connection, path: String(cString: path), method: String(cString: method))
            head.peer = IPAddress(ofPeerAt: visitor.socket)
            // A reply that does not wait for the body can only be queued now.
            guard let refusal = desk.take(head: head, from: visitor) else { return MHD_Result.YES }
            return desk.give(refusal, to: visitor)
        }
        if uploadSize.pointee > 0, let upload {
            let piece = UnsafeRawBufferPointer(start: upload, count: uploadSize.pointee)
            uploadSize.pointee = 0
            return exchange.take(piece.bindMemory(to: UInt8.self), limit: desk.limits.body) ? MHD_Result.YES : MHD_Result.NO
        }
        return desk.serve(visitor, exchange)
    }

    /// Called once for each request that reached `access`, however it ended.
    static let completed: MHD_RequestCompletedCallback = { context, connection, _, _ in
        if let desk = desk(context), let visitor = visitor(connection) { desk.end(visitor) }
    }
}

extension WebRequest {
    /// Reads a request's head.
    fileprivate init(_ connection: OpaquePointer, path: String, method: String) {
        self.init(
            method: method, path: path, query: Self.values(connection, .GET_ARGUMENT_KIND),
            headers: Self.values(connection, .HEADER_KIND))
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
}
