extension DemoState {
    /// The organisation's time zone has no summer time, so its wall time always differs from UTC by the same amount.
    static let zone = (name: "America/Phoenix", secondsFromUTC: -7 * 3600)

    func plan(_ id: String, in serviceType: String) -> Plan? { plans.first { $0.id == id && $0.serviceType == serviceType } }

    /// Everything attached to a plan, its items, or their songs, arrangements and keys.
    func attachments(of plan: Plan) -> [Attachment] {
        var owners: Set<Owner> = [.plan(plan.id), .serviceType(plan.serviceType)]
        for item in plan.items {
            owners.insert(.item(item.id))
            if let key = item.key { owners.insert(.key(key)) }
            if let id = item.arrangement {
                owners.insert(.arrangement(id))
                if let song = arrangements.first(where: { $0.id == id })?.song { owners.insert(.song(song)) }
            }
        }
        return attachments.filter { owners.contains($0.owner) }
    }
}

extension DemoState.Plan {
    /// The time by which plans are sorted; for a plan without times it is `now`, different for each request.
    func sortStamp(now: Stamp) -> Stamp { times.map(\.starts).min() ?? now }

    /// Returns whether a plan is past: its last time has ended. A plan without times is always upcoming.
    func isPast(now: Stamp) -> Bool { times.map(\.ends).max().map { $0 < now } ?? false }
}

extension Stamp {
    /// The wall time in the organisation's time zone, written as if it were UTC, as the service writes some dates.
    var asWallTime: Stamp { self + DemoState.zone.secondsFromUTC }

    /// The time of a change made now: later than the previous one, even within the same second.
    func next(now: Stamp) -> Stamp { max(now, self + 1) }
}

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
