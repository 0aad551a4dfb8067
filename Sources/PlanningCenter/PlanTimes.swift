import Model
import Platform

/// When a plan is: by its plan times or, where these are missing or cannot be meant, by the date under which the service lists it.
struct PlanTimes {
    let first: Timestamp?
    let last: Timestamp?
    let service: Timestamp?

    private struct Span {
        var start: Timestamp
        var end: Timestamp
        var isService: Bool
    }

    /// `listed` is the resource that lists the plan, with so many times; not all of them need have come.
    init(_ times: [Resource], of count: Int, listed: Resource) {
        var spans = times.compactMap(Self.span)
        let isWhole = !spans.isEmpty && spans.count >= count
        if let day = Self.day(of: listed), Self.contradict(spans, day) || !isWhole && !spans.contains(where: \.isService) {
            // Whoever mistyped a year mistyped it for the service; the rehearsals before it are as good as ever.
            spans.removeAll { $0.isService || $0.start > day || $0.start < day - Self.rehearsing }
            spans.append(Span(start: day, end: day, isService: true))
        }
        if spans.isEmpty, let end = times.compactMap({ $0.time(.endsAt) }).max() {
            spans.append(Span(start: end, end: end, isService: false))
        }
        first = spans.map(\.start).min()
        last = spans.map(\.end).max()
        service = spans.filter(\.isService).map(\.start).min()
    }

    /// An end before its start is a slip, as when a service past midnight gets the wrong day: such a time has no known end.
    private static func span(_ time: Resource) -> Span? {
        guard let start = time.time(.startsAt) else { return nil }
        return Span(start: start, end: max(time.time(.endsAt) ?? start, start), isService: time.text(.timeType) == "service")
    }

    /// The date under which the service lists a plan, which is a wall time of an unknown place, taken here for a time of this place. If
    /// the plan has no dates, it is made up anew for each request.
    private static func day(of listed: Resource) -> Timestamp? {
        guard listed.text(.dates)?.lowercased() != "no dates" else { return nil }
        return listed.time(.sortDate).map { Timestamp(nanoseconds: LocalTime.nanoseconds(ofWallTime: $0.nanoseconds)) }
    }

    /// Whether all services lie on the same side of the day, and farther from it than the two ends of the world are apart.
    private static func contradict(_ spans: [Span], _ day: Timestamp) -> Bool {
        let services = spans.filter(\.isService)
        let judged = services.isEmpty ? spans : services
        guard let first = judged.map(\.start).min(), let last = judged.map(\.end).max() else { return false }
        return last < day - farthestZone || first > day + farthestZone
    }

    /// Wall times of the same moment differ by 26 hours at most.
    private static let farthestZone: Duration = .seconds(36 * 3600)
    /// How long before its service a plan is rehearsed.
    private static let rehearsing: Duration = .seconds(31 * 86_400)
}
