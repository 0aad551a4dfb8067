extension DemoState {
    /// The organisation's time zone. It has no summer time, so its offset from UTC is constant.
    static let zone = (name: "America/Phoenix", secondsFromUTC: -7 * 3600)

    func plan(_ id: String, in serviceType: String) -> Plan? { plans.first { $0.id == id && $0.serviceType == serviceType } }

    /// Everything attached to a plan, its service type, its items, or their songs, arrangements and keys.
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
    /// The time by which plans are sorted; for a plan without times it is `now`, which differs between requests.
    func sortStamp(now: Stamp) -> Stamp { times.map(\.starts).min() ?? now }

    /// Whether a plan's last time has ended. A plan without times is always upcoming.
    func isPast(now: Stamp) -> Bool { times.map(\.ends).max().map { $0 < now } ?? false }
}

extension Stamp {
    /// The wall time in the organisation's zone, labelled as UTC, as the service writes some dates.
    var asWallTime: Stamp { self + DemoState.zone.secondsFromUTC }
}
