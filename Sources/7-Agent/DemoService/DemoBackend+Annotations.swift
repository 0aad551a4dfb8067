import LocalHTTP
import Model

extension DemoBackend {
    /// Woodshed's own extension of the service: layers of marks, listed by plan and read one at a time.
    static func annotations(_ request: WebRequest, _ path: [String], _ inner: Inner, now: Stamp) -> WebReply {
        guard path.first == "layers", path.count <= 2 else { return .notFound }
        guard request.method == "GET" else { return .failure(405, "Method Not Allowed", "layers are read with GET") }
        guard path.count == 2 else { return layers(request, inner, now: now) }
        guard let layer = inner.state.layers.first(where: { $0.id == path[1] }) else { return .notFound }
        return .document(["data": resource(layer), "included": [], "meta": [:]]).withETag("\"\(layer.revision)\"", for: request)
    }

    private static func layers(_ request: WebRequest, _ inner: Inner, now: Stamp) -> WebReply {
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

    private static func resource(_ layer: DemoState.Layer) -> JSON {
        [
            "type": "AnnotationLayer", "id": .string(layer.id),
            "attributes": [
                "attachment_id": .string(layer.attachment), "person_id": .string(layer.person), "person_name": .string(layer.personName),
                "name": .string(layer.name), "shared": .bool(layer.isShared), "revision": .int(layer.revision),
                "updated_at": .string(layer.updatedAt.text), "deleted_at": .null, "marks": .array(layer.marks),
            ],
        ]
    }
}
