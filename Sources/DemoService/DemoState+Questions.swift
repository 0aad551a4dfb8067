extension DemoState {
    /// The organisation's zone has no summer time, so that wall time is a fixed distance from UTC.
    static let zone = (name: "America/Phoenix", secondsFromUTC: -7 * 3600)

    func plan(_ id: String, in serviceType: String) -> Plan? {
        plans.first { $0.id == id && $0.serviceType == serviceType }
    }

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
    /// The day by which plans are sorted; a plan without times says `now`, new at each request.
    func sortStamp(now: Stamp) -> Stamp { times.map(\.starts).min() ?? now }

    /// Whether a plan is over: its last time ended. One without times is always still to come.
    func isPast(now: Stamp) -> Bool { times.map(\.ends).max().map { $0 < now } ?? false }
}

extension Stamp {
    /// The hands of a clock in the organisation's zone, written as if they were UTC: that is how the service writes some dates.
    var asWallTime: Stamp { self + DemoState.zone.secondsFromUTC }

    /// The time of a change made now: later than the change before, even within one second.
    func next(now: Stamp) -> Stamp { max(now, self + 1) }
}
