import LocalHTTP

extension APICall {
    /// All resources below `service_types`.
    func serviceTypes() -> WebReply {
        guard path.count >= 2 else { return page(state.serviceTypes.map(resource)) }
        guard let type = state.serviceTypes.first(where: { $0.id == path[1] }) else { return .notFound }
        guard path.count >= 3 else { return single(resource(type)) }
        guard path[2] == "plans" else { return .notFound }
        guard path.count >= 4 else { return plans(of: type) }
        guard let plan = state.plan(path[3], in: type.id) else { return .notFound }
        switch path.dropFirst(4) {
        case []: return single(resource(plan), canInclude: ["plan_times"]) { _ in plan.times.map { planTime($0) } }
        case ["plan_times"]: return page(plan.times.map { planTime($0) }, parent: ("Plan", plan.id))
        case ["items"]: return items(of: plan)
        case ["all_attachments"]: return attachments(of: plan)
        default: return .notFound
        }
    }

    /// The plans that pass `filter`; `nil` if no filter has this name.
    func plans(_ plans: [DemoState.Plan], filter: String?) -> [DemoState.Plan]? {
        switch filter {
        case nil: plans
        case "future": plans.filter { !$0.isPast(now: now) }
        case "past": plans.filter { $0.isPast(now: now) }
        default: nil
        }
    }

    var cannotFilter: WebReply { .failure(400, "Bad Request", "no filter is named \(request.parameter("filter") ?? "")") }

    func dates(of plan: DemoState.Plan, long: Bool) -> String {
        var days: [String] = []
        for time in plan.times where time.kind == "service" {
            let day = long ? time.starts.asWallTime.longDate : time.starts.asWallTime.shortDate
            if !days.contains(day) { days.append(day) }
        }
        return days.isEmpty ? "No dates" : days.joined(separator: " & ")
    }

    func planTime(_ time: DemoState.PlanTime) -> JSON {
        Self.resource(
            "PlanTime", time.id,
            [
                "name": .string(time.name), "time_type": .string(time.kind), "starts_at": .string(time.starts.text),
                "ends_at": .string(time.ends.text), "recorded": false,
            ])
    }

    private func plans(of type: DemoState.ServiceType) -> WebReply {
        let all = state.plans.filter { $0.serviceType == type.id }
        guard let filtered = plans(all, filter: request.parameter("filter")) else { return cannotFilter }
        let orders: [String: (DemoState.Plan) -> String] = [
            "sort_date": { $0.sortStamp(now: now).text }, "title": \.title, "created_at": \.createdAt.text,
            "updated_at": \.updatedAt.text,
        ]
        guard let plans = ordered(filtered, by: orders) else { return cannotOrder }
        return page(plans.map(resource), canInclude: ["plan_times"], parent: ("ServiceType", type.id)) { _, shown in
            shown.flatMap { index in plans[index].times.map { planTime($0) } }
        }
    }

    private func resource(_ type: DemoState.ServiceType) -> JSON {
        Self.resource("ServiceType", type.id, ["name": .string(type.name), "sequence": .int(type.sequence)])
    }

    private func resource(_ plan: DemoState.Plan) -> JSON {
        func count(_ kind: String) -> JSON { .int(plan.times.count { $0.kind == kind }) }
        let services = plan.times.filter { $0.kind == "service" }
        var resource = Self.resource(
            "Plan", plan.id,
            [
                "title": .string(plan.title), "series_title": JSON(plan.seriesTitle), "dates": .string(dates(of: plan, long: true)),
                "short_dates": .string(dates(of: plan, long: false)),
                "sort_date": .string(plan.sortStamp(now: now).asWallTime.text),
                "last_time_at": JSON(plan.times.map(\.starts).max()?.asWallTime.text),
                "files_expire_at": JSON(services.map { $0.starts + 15 * Stamp.day }.max()?.asWallTime.text),
                "items_count": .int(plan.items.count), "service_time_count": count("service"), "rehearsal_time_count": count("rehearsal"),
                "other_time_count": count("other"), "public": false, "created_at": .string(plan.createdAt.text),
                "updated_at": .string(plan.updatedAt.text),
                "planning_center_url": .string("https://services.planningcenteronline.com/plans/\(plan.id)"),
            ],
            relationships: [("service_type", "ServiceType", plan.serviceType)])
        let times = plan.times.map { time -> JSON in ["type": "PlanTime", "id": .string(time.id)] }
        resource["relationships"]?["plan_times"] = ["data": .array(times)]
        return resource
    }
}
