public import Model
import Platform

extension PlanningCenterClient {
    /// A plan's running order with the charts of each item. Files that are not charts are listed separately. A list of several
    /// pages is read again if its entries differ from those of `known`.
    public func contents(of plan: Plan, known: PlanContents? = nil) async throws(ServiceFailure) -> PlanContents {
        let place = ["service_types", plan.serviceType.text, "plans", plan.id.text]
        let knownItems = known?.items.map(\.id).filter { $0 != PlanAssembly.wholePlan(plan.id) } ?? []
        let items = try await list(
            Resource.self, at: address(place + ["items"], query: "include=song,arrangement,key&per_page=100"),
            what: "the running order of \(plan.displayName)", known: Set(knownItems.map(\.text)))
        let attachments = try await list(
            Resource.self, at: address(place + ["all_attachments"], query: "per_page=100"),
            what: "the files of \(plan.displayName)",
            // The service does not know the charts that are drawn here.
            known: Set(
                known.map { $0.attachments.map(\.id).filter { $0.song == nil }.map(\.text) + $0.leftOut.map(\.attachment.text) } ?? []))
        var contents = PlanAssembly(
            plan: plan, rules: choice.rules(for: plan.serviceType), items: items.data, included: items.included,
            attachments: attachments.data
        ).contents
        contents.plan.title = try await title(of: contents, known: known)
        return contents
    }

    /// A plan's own title, which the list of the musician's schedules lacks. It is requested if the plan differs from the `known` one,
    /// and once a day. If it cannot be read, the known title stays, since a plan can be played under any name.
    private func title(of contents: PlanContents, known: PlanContents?) async throws(ServiceFailure) -> String {
        let plan = contents.plan
        guard plan.title.isEmpty, account.serviceTypes.isEmpty else { return plan.title }
        let place = try address(["service_types", plan.serviceType.text, "plans", plan.id.text])
        let what = "the title of \(plan.displayName)"
        let former = known?.plan.title ?? ""
        var asKnown = contents
        asKnown.plan.title = former
        // The service does not know the charts that are drawn here.
        if asKnown.undrawn == known?.undrawn, let answer = kept[place],
            let page = try? await decode(Document<Resource>.self, from: HTTPResponse(status: 200, body: answer.body), what: what)
        {
            return page.data.first?.text(.title) ?? ""
        }
        do throws(ServiceFailure) {
            return try await page(Resource.self, at: place, what: what).data.first?.text(.title) ?? ""
        } catch {
            switch error {
            case .notAuthorised, .rateLimited, .offline, .cancelled: throw error
            case .forbidden, .serverError, .noService, .missing, .notUnderstood, .ledAway, .refused: return former
            }
        }
    }

    /// The upcoming plans: those in which the musician is scheduled, or all plans of the service types that the account names.
    ///
    /// Schedules that the musician declined or may not see yet are left out. If a service type or schedule cannot be read, the failure is
    /// in `troubles` and the others are still returned. Failures that concern every request, such as a lost connection, are thrown.
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
                    case .missing, .noService, .forbidden, .notUnderstood, .refused: list.troubles.append(error)
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
        var listed: [Listed] = []
        for schedule in page.data where schedule.flag(.isVisible) != false {
            if schedule.text(.status) == "D" {
                if let plan = schedule.reference(.plan) { list.declined.insert(PlanID(plan.id)) }
                continue
            }
            guard let plan = schedule.reference(.plan), let serviceType = schedule.reference(.serviceType) else {
                unknown.append(schedule.id)
                let nameless = Listed(
                    id: "schedule \(schedule.id)", serviceType: ServiceTypeID(""), name: schedule.text(.serviceTypeName) ?? "",
                    resource: schedule, times: Set(schedule.references(.planTimes)))
                list.nameless.append(Self.plan(nameless, times: page.included))
                continue
            }
            // A person may be scheduled several times in one plan, each time for other plan times.
            let times = Set(schedule.references(.planTimes))
            if let known = listed.firstIndex(where: { $0.id == plan.id }) {
                listed[known].times.formUnion(times)
            } else {
                let name = schedule.text(.serviceTypeName) ?? ""
                listed.append(Listed(id: plan.id, serviceType: ServiceTypeID(serviceType.id), name: name, resource: schedule, times: times))
            }
        }
        list.plans = listed.map { Self.plan($0, times: page.included) }
        list.declined.subtract(list.plans.map(\.id))
        if let first = unknown.first {
            let others = unknown.count > 1 ? ", nor do \(unknown.count - 1) more" : ""
            list.troubles.append(.notUnderstood(what: what, why: "schedule \(first) does not name its plan and service type" + others))
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
        return page.data.map {
            let times = Set($0.references(.planTimes))
            return Self.plan(Listed(id: $0.id, serviceType: serviceType, name: name, resource: $0, times: times), times: page.included)
        }
    }

    /// All service types that the token may see.
    public func serviceTypes() async throws(ServiceFailure) -> [(id: ServiceTypeID, name: String)] {
        try await list(Resource.self, at: address(["service_types"], query: "per_page=100"), what: "the list of service types").data.map {
            (ServiceTypeID($0.id), $0.text(.name) ?? $0.id)
        }
    }

    /// The person that the token belongs to.
    private func person() async throws(ServiceFailure) -> String {
        if let knownPerson { return knownPerson }
        let what = "who you are"
        let page: Document<Resource>
        do throws(ServiceFailure) {
            page = try await self.page(Resource.self, at: address(["me"]), what: what)
        } catch .missing {
            // Every account at the service has this address, so a 404 means that this is not the service.
            throw .noService
        }
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

    /// A plan's entry in a list of the service.
    private struct Listed {
        let id: String
        let serviceType: ServiceTypeID
        let name: String
        /// The plan itself, or the musician's schedule for the plan.
        let resource: Resource
        var times: Set<Reference>
    }

    private static func plan(_ listed: Listed, times included: [Resource]) -> Plan {
        let times = PlanTimes(included.filter { listed.times.contains($0.reference) }, listed: listed.resource)
        return Plan(
            id: PlanID(listed.id), serviceType: listed.serviceType, serviceTypeName: listed.name,
            title: listed.resource.text(.title) ?? "", dates: listed.resource.text(.dates) ?? "", firstTime: times.first,
            lastTime: times.last, serviceTime: times.service)
    }

    /// Merges repeated plans. A list names a plan twice if the plan moved from one page to the next between the requests.
    private static func eachOnce(_ plans: [Plan]) -> [Plan] {
        let merged = Dictionary(plans.map { ($0.id, $0) }) { _, last in last }
        // Plans without a time come last; the id makes the order the same in every poll.
        return merged.values.sorted { ($0.firstTime?.nanoseconds ?? .max, $0.id) < ($1.firstTime?.nanoseconds ?? .max, $1.id) }
    }
}

// MARK: - The token's account

extension PlanningCenterClient {
    /// The account that the token belongs to, requested once for each token; `nil` if the service does not name it. `didSay` states
    /// that the service named the account before: an unusable answer is then thrown.
    public func accountHolder(didSay: Bool) async throws(ServiceFailure) -> ServiceAccount? {
        if let holder, holder.token == credentials { return holder.account }
        let token = credentials
        let account = try await askedHolder(didSay: didSay)
        holder = (token, account)
        return account
    }

    private func askedHolder(didSay: Bool) async throws(ServiceFailure) -> ServiceAccount? {
        let services = "/services/v2"
        guard let address = try? address([]), address.rest.hasSuffix(services),
            let place = try? WebAddress(
                address.origin + address.rest.dropLast(services.count) + "/current/v2/me?include=organization", .plain)
        else { return nil }
        let why: ServiceFailure
        do throws(ServiceFailure) {
            let page = try await page(Resource.self, at: place, what: "whom the token belongs to")
            if let person = page.data.first {
                let organisation = page.included.first { $0.type == "Organization" }
                return ServiceAccount(person: person.party, organisation: organisation?.party)
            }
            why = .notUnderstood(what: "whom the token belongs to", why: "no person is named")
        } catch {
            switch error {
            case .offline, .rateLimited, .cancelled: throw error
            case .serverError, .notUnderstood, .ledAway, .refused: if didSay { throw error }
            // The service has just accepted the same token for the plans, so ignore this refusal.
            case .notAuthorised: refusal = nil
            case .missing, .noService, .forbidden: break
            }
            why = error
        }
        log.debug("whether the token's organisation is still the same cannot be checked: \(why)")
        guard account.serviceTypes.isEmpty else { return nil }
        return ServiceAccount(person: ServiceAccount.Party(id: try await person(), name: ""), organisation: nil)
    }
}

extension Resource {
    fileprivate var party: ServiceAccount.Party {
        let name = text(.name) ?? [text(.firstName), text(.lastName)].compactMap { $0 }.joined(separator: " ")
        return ServiceAccount.Party(id: id, name: name)
    }
}

/// The upcoming plans, as far as they could be read.
public struct PlanList: Hashable, Sendable {
    /// Each plan once, earliest first.
    public var plans: [Plan]
    /// Why parts of the list could not be read. A plan that is missing from `plans` may be in such a part.
    public var troubles: [ServiceFailure]

    /// Schedules that do not name their plan, as plans with made-up ids: any of them may be the next plan.
    public var nameless: [Plan] = []

    /// Plans that the musician declined.
    public var declined: Set<PlanID> = []

    /// True if the whole list was read, so a plan that is missing from `plans` does not exist.
    public var isWhole: Bool { troubles.isEmpty }
}
