import Model
import Platform

/// A plan's times. They come from its plan times, and from the date under which the service lists the plan. People may see only the
/// plan times that they are scheduled for. The plan counts as past some hours after `last`.
struct PlanTimes {
    let first: Timestamp?
    let last: Timestamp?
    let service: Timestamp?

    private struct Span {
        var start: Timestamp
        var end: Timestamp
        var isService: Bool

        func contains(_ moment: Timestamp) -> Bool { start <= moment && moment <= end }
    }

    /// `listed` is the entry for the plan in the service's list.
    init(_ times: [Resource], listed: Resource) {
        var spans = times.compactMap(Self.span)
        if let day = Self.day(of: listed) {
            let hasServices = spans.contains(where: \.isService)
            let isContradicted = hasServices && Self.contradict(spans, day.start)
            // If all services contradict the listed date, their date (such as a wrong year) is the mistake: keep the earlier
            // rehearsals, use the listed date.
            if isContradicted { spans.removeAll { $0.isService || $0.start > day.start } }
            if isContradicted || !hasServices {
                spans.removeAll { !Self.isNear($0.start, day.start) }
                if !spans.contains(where: { $0.contains(day.start) }) { spans.append(day) }
            }
        }
        for moment in [listed.time(.startsAt), Self.moment(of: .lastTime, in: listed)].compactMap(\.self)
        where spans.contains(where: { Self.isNear(moment, $0.start) }) && !spans.contains(where: { $0.contains(moment) }) {
            spans.append(Span(start: moment, end: moment, isService: false))
        }
        if spans.isEmpty, let end = times.compactMap({ $0.time(.endsAt) }).max() {
            spans.append(Span(start: end, end: end, isService: false))
        }
        first = spans.map(\.start).min()
        last = spans.map(\.end).max()
        service = spans.filter(\.isService).map(\.start).min()
    }

    /// An end before the start is a mistake, as when a service past midnight gets the wrong day. The start then stands for the end.
    private static func span(_ time: Resource) -> Span? {
        guard let start = time.time(.startsAt) else { return nil }
        return Span(start: start, end: max(time.time(.endsAt) ?? start, start), isService: time.text(.timeType) == "service")
    }

    /// The date under which the service lists a plan; `nil` if the plan has no dates, because the service then makes up a date for
    /// each request.
    private static func day(of listed: Resource) -> Span? {
        guard listed.text(.dates)?.lowercased() != "no dates", let start = moment(of: .sortDate, in: listed) else { return nil }
        // If the time zone is unknown, the plan may take place far to the west, and end later than it would in this machine's time zone.
        let end = zone(of: listed) == nil ? start + farWest : start
        return Span(start: start, end: end, isService: true)
    }

    /// Converts a wall time with the organisation's zone or, if the service does not give the zone, with this machine's.
    private static func moment(of attribute: Resource.Attribute, in listed: Resource) -> Timestamp? {
        listed.time(attribute).map { wall in
            let zone = zone(of: listed)
            return Timestamp(
                nanoseconds: zone?.nanoseconds(ofWallTime: wall.nanoseconds) ?? LocalTime.nanoseconds(ofWallTime: wall.nanoseconds))
        }
    }

    private static func zone(of listed: Resource) -> ZoneRules? { listed.text(.timeZone).flatMap { ZoneRules(named: $0) } }

    private static func isNear(_ moment: Timestamp, _ day: Timestamp) -> Bool { moment >= day - rehearsing && moment <= day + rehearsing }

    /// Returns whether all services are on the same side of the day, and farther away than time zones can explain.
    private static func contradict(_ spans: [Span], _ day: Timestamp) -> Bool {
        let services = spans.filter(\.isService)
        guard let first = services.map(\.start).min(), let last = services.map(\.end).max() else { return false }
        return last < day - farthestZone || first > day + farthestZone
    }

    /// Wall times of the same moment differ by at most 26 hours; the rest is a margin.
    private static let farthestZone: Duration = .seconds(36 * 3600)
    /// How long before its service a plan may be rehearsed; also the greatest distance between two times of a plan.
    private static let rehearsing: Duration = .seconds(31 * 86_400)
    /// How much later than here a wall time may come in places to the west.
    private static let farWest: Duration = .seconds(14 * 3600)
}
