import LocalHTTP

extension APICall {
    func me() -> WebReply {
        guard let person = state.people.first else { return .notFound }
        return single(resource(person))
    }

    /// `/current/v2/me`: the same person, with the organisation.
    func holder() -> WebReply {
        guard let person = state.people.first else { return .notFound }
        return single(resource(person), canInclude: ["organization"]) { _ in
            [Self.resource("Organization", "1", ["name": .string(Self.organisation)])]
        }
    }

    private static let organisation = "Riverside Chapel"

    /// `people/{id}`, and `people/{id}/schedules`: a schedule of the person for each plan that passes the filter.
    func people() -> WebReply {
        guard path.count >= 2, let person = state.people.first(where: { $0.id == path[1] }) else { return .notFound }
        switch path.dropFirst(2) {
        case []: return single(resource(person))
        case ["schedules"]: return schedules(of: person)
        default: return .notFound
        }
    }

    private func schedules(of person: DemoState.Person) -> WebReply {
        guard let filtered = plans(state.plans, filter: request.parameter("filter")) else { return cannotFilter }
        let orders: [String: (DemoState.Plan) -> String] = [
            "starts_at": { $0.sortStamp(now: now).text }, "sort_date": { $0.sortStamp(now: now).text },
        ]
        guard let plans = ordered(filtered, by: orders) else { return cannotOrder }
        return page(plans.map { schedule($0, of: person) }, canInclude: ["plan_times"], parent: ("Person", person.id)) { _, shown in
            shown.flatMap { index in plans[index].times.map { planTime($0) } }
        }
    }

    private func resource(_ person: DemoState.Person) -> JSON {
        Self.resource(
            "Person", person.id,
            [
                "first_name": .string(person.firstName), "last_name": .string(person.lastName), "full_name": .string(person.name),
                "status": "active",
            ])
    }

    private func schedule(_ plan: DemoState.Plan, of person: DemoState.Person) -> JSON {
        let type = state.serviceTypes.first { $0.id == plan.serviceType }
        var schedule = Self.resource(
            "Schedule", "\(person.id)\(plan.id)",
            [
                "sort_date": .string(plan.sortStamp(now: now).asWallTime.text), "dates": .string(dates(of: plan, long: true)),
                "short_dates": .string(dates(of: plan, long: false)), "status": .string(plan.status),
                "service_type_name": JSON(type?.name), "team_name": "Band", "team_position_name": person.id == "104" ? "Violin" : "Vocals",
                "organization_name": .string(Self.organisation), "organization_time_zone": .string(DemoState.zone.name),
                "organization_twenty_four_hour_time": "false", "person_name": .string(person.name), "decline_reason": .null,
                "plan_visible": true, "plan_visible_to_me": true, "can_accept_partial": false,
            ],
            relationships: [
                ("person", "Person", person.id), ("service_type", "ServiceType", plan.serviceType), ("plan", "Plan", plan.id),
            ])
        let times = plan.times.map { time -> JSON in ["type": "PlanTime", "id": .string(time.id)] }
        schedule["relationships"]?["plan_times"] = ["data": .array(times)]
        return schedule
    }
}
