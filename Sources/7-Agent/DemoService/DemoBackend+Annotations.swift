import LocalHTTP
import Model

extension DemoBackend {
    /// This project's own extension: layers of marks, listed by plan, and read, replaced and deleted one at a time.
    static func annotations(_ request: WebRequest, _ path: [String], _ inner: inout Inner, now: Stamp) -> WebReply {
        guard path.first == "layers", path.count <= 2 else { return .notFound }
        guard path.count == 2 else { return layers(request, inner, now: now) }
        guard let index = inner.state.layers.firstIndex(where: { $0.id == path[1] }) else { return .notFound }
        switch request.method {
        case "GET": break
        case "PUT":
            if let refusal = put(request, index, &inner.state, now: now) { return refusal }
        case "DELETE":
            if let refusal = stale(request, inner.state.layers[index]) { return refusal }
            if inner.state.layers[index].deletedAt == nil { _ = try? inner.state.deleteLayer(path[1], now: now) }
        default: return .failure(405, "Method Not Allowed", "a layer takes GET, PUT and DELETE")
        }
        let layer = inner.state.layers[index]
        let reply = WebReply.document(["data": resource(layer), "included": [], "meta": [:]])
        guard request.method == "GET" else {
            var reply = reply
            reply.headers.append(("ETag", tag(layer)))
            return reply
        }
        return reply.withETag(tag(layer), for: request)
    }

    private static func layers(_ request: WebRequest, _ inner: Inner, now: Stamp) -> WebReply {
        guard request.method == "GET" else { return .failure(405, "Method Not Allowed", "layers are listed with GET") }
        var layers = inner.state.layers
        if let id = request.parameter("where[plan_id]") {
            let plan = inner.state.plans.first { $0.id == id }
            let attachments = Set((plan.map { inner.state.attachments(of: $0) } ?? []).map(\.id))
            layers.removeAll { !attachments.contains($0.attachment) }
        }
        let call = APICall(request: request, path: [], state: inner.state, now: now, root: inner.root)
        let reply = call.page(layers.map(resource))
        return reply.status == 200 ? reply.withETag("\"\(SHA256.digest(of: reply.body).shortHex)\"", for: request) : reply
    }

    private static func put(_ request: WebRequest, _ index: Int, _ state: inout DemoState, now: Stamp) -> WebReply? {
        if request.header("If-Match") == nil {
            return .failure(428, "Precondition Required", "say with If-Match which revision you are changing")
        }
        if let refusal = stale(request, state.layers[index]) { return refusal }
        guard let attributes = JSON(bytes: request.body)?["data"]?["attributes"], let marks = attributes["marks"]?.array else {
            return .failure(422, "Unprocessable Entity", "data.attributes.marks must be an array")
        }
        state.layers[index].marks = marks
        if let name = attributes["name"]?.string { state.layers[index].name = name }
        if case .bool(let isShared) = attributes["shared"] { state.layers[index].isShared = isShared }
        state.layers[index].deletedAt = nil
        state.touch(layer: index, now: now)
        return nil
    }

    /// A 412 if another client was first.
    private static func stale(_ request: WebRequest, _ layer: DemoState.Layer) -> WebReply? {
        guard let match = request.header("If-Match"), match != tag(layer), match != "*" else { return nil }
        var reply = WebReply.failure(412, "Precondition Failed", "the layer is at revision \(layer.revision)")
        reply.headers.append(("ETag", tag(layer)))
        return reply
    }

    private static func tag(_ layer: DemoState.Layer) -> String { "\"\(layer.revision)\"" }

    private static func resource(_ layer: DemoState.Layer) -> JSON {
        [
            "type": "AnnotationLayer", "id": .string(layer.id),
            "attributes": [
                "attachment_id": .string(layer.attachment), "person_id": .string(layer.person), "person_name": .string(layer.personName),
                "name": .string(layer.name), "shared": .bool(layer.isShared), "revision": .int(layer.revision),
                "updated_at": .string(layer.updatedAt.text), "deleted_at": JSON(layer.deletedAt?.text), "marks": .array(layer.marks),
            ],
        ]
    }
}
