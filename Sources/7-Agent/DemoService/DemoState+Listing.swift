extension DemoState {
    /// Everything there is, with the ids that edits refer to; for people.
    func listing(now: Stamp) -> JSON {
        let plans = plans.map { plan -> JSON in
            [
                "id": .string(plan.id), "title": .string(plan.title),
                "service_type": .string(plan.serviceType),
                "service_type_name": .string(serviceTypes.first { $0.id == plan.serviceType }?.name ?? plan.title),
                "starts": .array(plan.times.map { .string($0.starts.text) }),
                "items": .array(
                    plan.items.map { item -> JSON in
                        ["id": .string(item.id), "title": .string(item.title), "type": .string(item.kind)]
                    }),
                "is_past": .bool(plan.isPast(now: now)), "attachments": .array(self.attachments(of: plan).map { .string($0.id) }),
            ]
        }
        let attachments = attachments.map { attachment -> JSON in
            [
                "id": .string(attachment.id), "filename": .string(attachment.filename), "type": .string(attachment.pcoType),
                "size": .int(attachment.bytes?.count ?? 0), "updated_at": .string(attachment.updatedAt.text),
            ]
        }
        let layers = layers.map { layer -> JSON in
            [
                "id": .string(layer.id), "attachment": .string(layer.attachment), "person": .string(layer.personName),
                "name": .string(layer.name), "revision": .int(layer.revision), "deleted": .bool(layer.deletedAt != nil),
                "marks": .array(
                    layer.marks.map { mark -> JSON in
                        ["id": mark["id"] ?? .null, "page": mark["page"] ?? .null, "kind": mark["kind"] ?? .null]
                    }),
            ]
        }
        return ["plans": .array(plans), "attachments": .array(attachments), "layers": .array(layers)]
    }
}
