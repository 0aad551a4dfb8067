public import Model
import Platform

extension PlanningCenterClient {
    /// A plan's running order with the charts of each item. Files that are not charts are listed separately.
    public func contents(of plan: Plan) async throws(ServiceFailure) -> PlanContents {
        let place = ["service_types", plan.serviceType.text, "plans", plan.id.text]
        let items = try await list(
            Resource.self, at: address(place + ["items"], query: "include=song,arrangement,key&per_page=100"),
            what: "the running order of \(plan.displayName)")
        let attachments = try await list(
            Resource.self, at: address(place + ["all_attachments"], query: "per_page=100"),
            what: "the files of \(plan.displayName)")
        return PlanAssembly(
            plan: plan, rules: choice.rules(for: plan.serviceType), items: items.data, included: items.included,
            attachments: attachments.data
        ).contents
    }

    /// The upcoming plans: those in which the musician is scheduled, or all those of the account's service types.
    ///
    /// Plans that the musician declined or may not see yet are left out. A service type or schedule that cannot be read
    /// does not affect the others; a problem with all of them is thrown.
    public func planList() async throws(ServiceFailure) -> PlanList {
        var list = PlanList(plans: [], troubles: [])
        if account.serviceTypes.isEmpty {
            list = try await scheduledPlans()
        } else {
            for serviceType in account.serviceTypes {
                do throws(ServiceFailure) {
                    list.plans += try await plans(of: serviceType)
                } catch {
                    switch error {
                    case .missing, .forbidden, .notUnderstood, .refused: list.troubles.append(error)
                    default: throw error
                    }
                }
            }
        }
        list.plans = Self.eachOnce(list.plans)
        return list
    }

    /// The upcoming plans, if the complete list can be read.
    public func comingPlans() async throws(ServiceFailure) -> [Plan] {
        let list = try await planList()
        if let trouble = list.troubles.first { throw trouble }
        return list.plans
    }

    private func scheduledPlans() async throws(ServiceFailure) -> PlanList {
        let what = "the list of your schedules"
        let person = try await person()
        let page = try await list(
            Resource.self,
            at: address(["people", person, "schedules"], query: "filter=future&order=starts_at&include=plan_times&per_page=100"), what: what
        )
        var list = PlanList(plans: [], troubles: [])
        var unknown: [String] = []
        for schedule in page.data where schedule.text(.status) != "D" && schedule.flag(.isVisible) != false {
            guard let plan = schedule.reference(.plan), let serviceType = schedule.reference(.serviceType) else {
                unknown.append(schedule.id)
                continue
            }
            list.plans.append(
                Self.plan(
                    plan.id, ServiceTypeID(serviceType.id), name: schedule.text(.serviceTypeName) ?? "", from: schedule,
                    times: page.included))
        }
        if let first = unknown.first {
            let others = unknown.count > 1 ? ", nor do \(unknown.count - 1) more" : ""
            list.troubles.append(
                .notUnderstood(what: what, why: "schedule \(first) does not name its plan and service type" + others))
        }
        return list
    }

    private func plans(of serviceType: ServiceTypeID) async throws(ServiceFailure) -> [Plan] {
        let name = try await name(of: serviceType)
        let page = try await list(
            Resource.self,
            at: address(
                ["service_types", serviceType.text, "plans"], query: "filter=future&order=sort_date&include=plan_times&per_page=100"),
            what: "the list of plans of \(name.isEmpty ? "service type \(serviceType)" : name)")
        return page.data.map { Self.plan($0.id, serviceType, name: name, from: $0, times: page.included) }
    }

    /// Who the token belongs to.
    private func person() async throws(ServiceFailure) -> String {
        if let knownPerson { return knownPerson }
        let what = "who you are"
        let page = try await page(Resource.self, at: address(["me"]), what: what)
        guard let person = page.data.first else { throw .notUnderstood(what: what, why: "no person is named") }
        knownPerson = person.id
        return person.id
    }

    private func name(of serviceType: ServiceTypeID) async throws(ServiceFailure) -> String {
        if let name = knownNames[serviceType] { return name }
        let what = "service type \(serviceType)"
        let page = try await page(Resource.self, at: address(["service_types", serviceType.text]), what: what)
        let name = page.data.first?.text(.name) ?? ""
        knownNames[serviceType] = name
        return name
    }

    /// A plan's own dates are local times of an unknown place, or made up; only its plan times are real instants.
    private static func plan(
        _ id: String, _ serviceType: ServiceTypeID, name: String, from resource: Resource, times included: [Resource]
    ) -> Plan {
        let wanted = Set(resource.references(.planTimes))
        let times = included.filter { wanted.contains($0.reference) }
        return Plan(
            id: PlanID(id), serviceType: serviceType, serviceTypeName: name, title: resource.text(.title) ?? "",
            dates: resource.text(.dates) ?? "", firstTime: times.compactMap { $0.time(.startsAt) }.min(),
            lastTime: times.compactMap { $0.time(.endsAt) ?? $0.time(.startsAt) }.max(),
            serviceTime: times.filter { $0.text(.timeType) == "service" }.compactMap { $0.time(.startsAt) }.min())
    }

    /// A person may be scheduled several times in one plan, each time with other times.
    private static func eachOnce(_ plans: [Plan]) -> [Plan] {
        var merged: [PlanID: Plan] = [:]
        for plan in plans {
            guard var known = merged[plan.id] else {
                merged[plan.id] = plan
                continue
            }
            known.firstTime = [known.firstTime, plan.firstTime].compactMap(\.self).min()
            known.lastTime = [known.lastTime, plan.lastTime].compactMap(\.self).max()
            known.serviceTime = [known.serviceTime, plan.serviceTime].compactMap(\.self).min()
            merged[plan.id] = known
        }
        // Plans without a time come last; the whole order is the same from poll to poll.
        return merged.values.sorted {
            ($0.firstTime?.nanoseconds ?? .max, $0.id) < ($1.firstTime?.nanoseconds ?? .max, $1.id)
        }
    }
}
