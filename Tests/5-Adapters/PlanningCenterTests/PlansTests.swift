import Model
import PlanningCenter
import Platform
import TestSupport
import Testing

@Suite(.onLoop)
struct PlansTests {
    private static func schedule(
        _ id: String, plan: String, status: String = "C", times: [String] = ["9001"], visible: String = "true",
        day: String = "2026-11-22T10:00:00Z", dates: String = "November 22, 2026"
    ) -> String {
        let references = times.map { #"{"type":"PlanTime","id":"\#($0)"}"# }.joined(separator: ",")
        return #"""
            {"type":"Schedule","id":"\#(id)","attributes":{"sort_date":"\#(day)","dates":"\#(dates)",
            "short_dates":"Nov 22","status":"\#(status)","service_type_name":"Sunday Morning","team_name":"Band",
            "team_position_name":"Violin","organization_time_zone":"America/New_York","plan_visible_to_me":\#(visible),
            "respond_at":null,"something_new":{"deep":[1]}},
            "relationships":{"plan":{"data":{"type":"Plan","id":"\#(plan)"}},"service_type":{"data":{"type":"ServiceType","id":"77"}},
            "plan_times":{"data":[\#(references)]},"responds_to":{"data":null}},"links":{"self":"https://api.example.org/x"}}
            """#
    }

    private static func time(_ id: String, _ starts: String, _ ends: String, kind: String = "service") -> String {
        #"{"type":"PlanTime","id":"\#(id)","attributes":{"name":"","time_type":"\#(kind)","starts_at":\#(starts),"ends_at":\#(ends)}}"#
    }

    private static let times = [
        time("9001", #""2026-11-22T15:00:00Z""#, #""2026-11-22T16:15:00Z""#),
        time("9002", #""2026-11-19T23:30:00Z""#, "null", kind: "rehearsal"),
        time("9003", #""2026-11-15T15:00:00Z""#, #""2026-11-15T16:00:00Z""#),
        // Typing errors: an end before the start, and wrong years.
        time("9004", #""2026-11-22T23:00:00Z""#, #""2026-11-22T01:00:00Z""#),
        time("9005", #""2025-11-22T15:00:00Z""#, #""2025-11-22T16:00:00Z""#),
        time("9006", #""2027-11-22T15:00:00Z""#, #""2027-11-22T16:00:00Z""#),
        // Times that cannot be read.
        time("9007", #""22/11/2026 15:00""#, #""22/11/2026 16:00""#),
        time("9008", #""2026-11-22T15:00:00""#, #""2026-11-22T16:00:00""#),
        time("9009", "null", #""2026-11-22T16:00:00Z""#),
    ].joined(separator: ",")

    private static func page(_ data: [String]) -> String {
        #"{"links":{"self":"x"},"data":[\#(data.joined(separator: ","))],"included":[\#(times)],"meta":{"count":1}}"#
    }

    @Test @LoopActor func aScheduledPlanTakesItsTimesFromItsPlanTimes() async throws {
        let service = Service()
        service.network.route(.get, Service.schedules, Self.page([Self.schedule("1", plan: "5001", times: ["9001", "9002"])]))
        let plans = try await service.client.comingPlans()
        #expect(
            plans == [
                Plan(
                    id: PlanID("5001"), serviceType: ServiceTypeID("77"), serviceTypeName: "Sunday Morning", dates: "November 22, 2026",
                    firstTime: Timestamp("2026-11-19T23:30:00Z"), lastTime: Timestamp("2026-11-22T16:15:00Z"),
                    serviceTime: Timestamp("2026-11-22T15:00:00Z"))
            ])
        #expect(plans[0].mainTime == Timestamp("2026-11-22T15:00:00Z"), "a rehearsal before it does not make it that day's plan")
    }

    @Test(arguments: [["9004"], ["9003", "9004"]]) @LoopActor func anEndBeforeItsStartIsNoEnd(times: [String]) async throws {
        let service = Service()
        service.network.route(.get, Service.schedules, Self.page([Self.schedule("1", plan: "5001", times: times)]))
        let plan = try #require(try await service.client.comingPlans().first)
        let start = try #require(Timestamp("2026-11-22T23:00:00Z"))
        #expect(plan.lastTime == start)
        #expect(!plan.isPast(at: start + .seconds(3600)))
    }

    /// The service lists a plan under a local time of an unknown place, so the listing gives at best the day.
    @Test(arguments: ["9005", "9006"]) @LoopActor func aTimeInTheWrongYearGivesWayToTheDateOfThePlan(time: String) async throws {
        let service = Service()
        service.network.route(.get, Service.schedules, Self.page([Self.schedule("1", plan: "5001", times: [time, "9002"])]))
        let plan = try #require(try await service.client.comingPlans().first)
        let day = try #require(Timestamp("2026-11-22T10:00:00Z"))
        for time in [try #require(plan.serviceTime), try #require(plan.lastTime)] {
            #expect(time > day - .seconds(86_400) && time < day + .seconds(86_400), "\(time)")
        }
        #expect(plan.firstTime == Timestamp("2026-11-19T23:30:00Z"), "the rehearsal is as it was")
    }

    /// The cases: no times, unreadable times, a time that the list lacks, and a rehearsal together with an unreadable or missing time.
    @Test(arguments: [[], ["9007"], ["9008"], ["9009"], ["none"], ["9002", "9007"], ["9002", "none"]])
    @LoopActor func aPlanWithoutUsableTimesIsOnItsDate(times: [String]) async throws {
        let service = Service()
        service.network.route(.get, Service.schedules, Self.page([Self.schedule("1", plan: "5001", times: times)]))
        let plan = try #require(try await service.client.comingPlans().first)
        let day = try #require(Timestamp("2026-11-22T10:00:00Z"))
        let time = try #require(plan.mainTime)
        #expect(time > day - .seconds(86_400) && time < day + .seconds(86_400), "\(time)")
        #expect(plan.end == time)
        #expect(plan.firstTime == (times.contains("9002") ? Timestamp("2026-11-19T23:30:00Z") : time))
    }

    /// For people who are scheduled for the rehearsal only, the service lists no other time.
    @Test(arguments: [("America/New_York", 15), ("Australia/Sydney", -1), ("no zone", 10)]) @LoopActor
    func aRehearsalAloneIsNotAllOfAPlan(zone: String, hour: Int) async throws {
        let service = Service()
        let listed = Self.schedule("1", plan: "5001", times: ["9002"]).replacing("America/New_York", with: zone)
        service.network.route(.get, Service.schedules, Self.page([listed]))
        let plan = try #require(try await service.client.comingPlans().first)
        let begins = try #require(Timestamp("2026-11-22T00:00:00Z")) + .seconds(3600 * hour)
        if zone != "no zone" { #expect(plan.serviceTime == begins) }
        #expect(plan.firstTime == Timestamp("2026-11-19T23:30:00Z"))
        // The day before, and an hour after the service began.
        for moment in [begins - .seconds(86_400), begins + .seconds(3600)] {
            #expect(!plan.isPast(at: moment), "\(moment)")
        }
        #expect(plan.isPast(at: begins + .seconds(2 * 86_400)))
    }

    @Test @LoopActor func theLatestTimeThatIsToldDecidesWhenAPlanIsPast() async throws {
        let service = Service(serviceTypes: ["77"])
        service.network.route(
            .get, "\(Service.root)/service_types/77", #"{"data":{"type":"ServiceType","id":"77","attributes":{"name":"Sunday Morning"}}}"#)
        service.network.route(
            .get, "\(Service.root)/service_types/77/plans?filter=future&order=sort_date&include=plan_times&per_page=100",
            Self.page(
                [("5001", "2026-11-24T19:00:00Z"), ("5002", "2062-11-24T19:00:00Z")].map { id, last in
                    #"""
                    {"type":"Plan","id":"\#(id)","attributes":{"dates":"November 22 & 24","sort_date":"2026-11-22T10:00:00Z",
                    "last_time_at":"\#(last)"},"relationships":{"plan_times":{"data":[{"type":"PlanTime","id":"9001"}]}}}
                    """#
                }))
        let ends = try await service.client.comingPlans().map { try #require($0.end) }
        let tuesday = try #require(Timestamp("2026-11-24T19:00:00Z"))
        #expect(ends[0] > tuesday - .seconds(86_400) && ends[0] < tuesday + .seconds(86_400))
        #expect(ends[1] == Timestamp("2026-11-22T16:15:00Z"), "a year that nobody can mean")
    }

    @Test @LoopActor func aPlanWithoutADateEndsWhenItsTimesEnd() async throws {
        let service = Service()
        let listed = Self.schedule("1", plan: "5001", times: ["9009"], day: "soon")
        service.network.route(.get, Service.schedules, Self.page([listed]))
        #expect(try await service.client.comingPlans().first?.firstTime == Timestamp("2026-11-22T16:00:00Z"))
    }

    @Test @LoopActor func aDateThatIsMadeUpForAPlanWithoutServicesChangesNoTime() async throws {
        let service = Service()
        let made = Self.schedule("1", plan: "5001", times: ["9002"], day: "2026-11-29T10:00:00Z", dates: "No dates")
        service.network.route(.get, Service.schedules, Self.page([made]))
        let plan = try #require(try await service.client.comingPlans().first)
        #expect(plan.firstTime == Timestamp("2026-11-19T23:30:00Z") && plan.lastTime == plan.firstTime)
    }

    @Test @LoopActor func aPlanWithoutAServiceIsWhenItsFirstTimeIs() async throws {
        let service = Service()
        let rehearsal = Self.schedule("1", plan: "5001", times: ["9002"], day: "2026-11-19T18:30:00Z")
        service.network.route(.get, Service.schedules, Self.page([rehearsal]))
        let plan = try #require(try await service.client.comingPlans().first)
        #expect(plan.serviceTime == nil && plan.mainTime == Timestamp("2026-11-19T23:30:00Z"))
    }

    /// All schedules without a plan are reported together as one trouble, and the other plans are still listed.
    @Test(arguments: [1, 2, 1000]) @LoopActor func schedulesThatNameNoPlanAreToldInOneLine(count: Int) async throws {
        let service = Service()
        let nameless = (0..<count).map { #"{"type":"Schedule","id":"s\#($0)","attributes":{"status":"C"},"relationships":{}}"# }
        service.network.route(.get, Service.schedules, Self.page(nameless + [Self.schedule("1", plan: "5001")]))
        let list = try await service.client.planList()
        #expect(list.plans.map(\.id) == [PlanID("5001")])
        #expect(list.troubles.count == 1)
        #expect(list.nameless.count == count)
        let others = count > 1 ? ", nor do \(count - 1) more" : ""
        #expect("\(list.troubles)".contains("schedule s0 does not name its plan and service type\(others)"), "\(list.troubles)")
    }

    @Test @LoopActor func declinedAndHiddenPlansAreLeftOut() async throws {
        let service = Service()
        let schedules = [
            Self.schedule("1", plan: "5001", status: "D"), Self.schedule("2", plan: "5002", visible: "false"),
            Self.schedule("3", plan: "5003", status: "U"), Self.schedule("4", plan: "5004", visible: "null"),
        ]
        service.network.route(.get, Service.schedules, Self.page(schedules))
        #expect(try await service.client.comingPlans().map(\.id.text) == ["5003", "5004"])
    }

    @Test @LoopActor func twoPartsInOnePlanAreOnePlan() async throws {
        let service = Service()
        let schedules = [
            Self.schedule("1", plan: "5001", times: ["9001"]), Self.schedule("2", plan: "5001", times: ["9002"]),
            Self.schedule("3", plan: "5001", status: "D", times: ["9003"]),
        ]
        service.network.route(.get, Service.schedules, Self.page(schedules))
        let plan = try #require(try await service.client.comingPlans().first)
        #expect(plan.firstTime == Timestamp("2026-11-19T23:30:00Z"))
        #expect(plan.lastTime == Timestamp("2026-11-22T16:15:00Z"))
        #expect(plan.serviceTime == Timestamp("2026-11-22T15:00:00Z"))
    }

    /// Each page that lists a plan may include the plan's times: copies of a time on two pages are one time.
    @Test(arguments: [1, 9]) @LoopActor func aTimeThatComesWithTwoPagesIsOneTime(faults: Int) async throws {
        func page(_ schedule: String, starts: String, next: String) -> [UInt8] {
            let time = Self.time("9001", #""\#(starts)""#, "null", kind: "rehearsal")
            return Array(
                #"{"links":{\#(next)},"data":[\#(schedule)],"included":[\#(time)],"meta":{"total_count":2}}"#.utf8)
        }
        var readings = 0
        let network = SimulatedNetwork { (request) throws(HTTPFailure) in
            let isFirst = !request.url.contains("offset=")
            if isFirst { readings += 1 }
            let starts = isFirst && readings <= faults ? "2025-11-22T15:00:00Z" : "2026-11-22T15:00:00Z"
            let body =
                isFirst
                ? page(
                    Self.schedule("1", plan: "5001", dates: "No dates"), starts: starts,
                    next: #""next":"\#(Service.schedules)&offset=1""#)
                : page(Self.schedule("2", plan: "5002", times: [], dates: "No dates"), starts: starts, next: "")
            return HTTPResponse(status: 200, body: body)
        }
        let client = PlanningCenterClient(
            account: Account(apiURL: Service.root, credentials: Secret("a:b"), personID: "104", userAgent: "t"), transport: network,
            time: JumpingClock(), log: .silent)
        let plan = try #require(try await client.comingPlans().first)
        #expect(plan.firstTime == Timestamp("2026-11-22T15:00:00Z"))
        #expect(plan.lastTime == plan.firstTime)
        // Pages that disagree are read again, but not forever.
        #expect(readings == min(faults + 1, 4))
    }

    @Test @LoopActor func plansStandByTimeAndThoseWithoutLast() async throws {
        let service = Service()
        let schedules = [
            Self.schedule("1", plan: "5009", times: [], dates: "No dates"), Self.schedule("2", plan: "5001", times: ["9001"]),
            Self.schedule("3", plan: "5002", times: ["9003"], day: "2026-11-15T10:00:00Z"),
        ]
        service.network.route(.get, Service.schedules, Self.page(schedules))
        let plans = try await service.client.comingPlans()
        #expect(plans.map(\.id.text) == ["5002", "5001", "5009"])
        #expect(plans.last?.firstTime == nil)
    }

    @Test @LoopActor func whoIAmIsAskedOnce() async throws {
        let service = Service(personID: nil)
        service.network.route(.get, "\(Service.root)/me", #"{"data":{"type":"Person","id":104,"attributes":{"first_name":"A."}}}"#)
        service.network.route(.get, Service.schedules, Service.nothing)
        for _ in 0..<2 { #expect(try await service.client.comingPlans().isEmpty) }
        #expect(service.network.requests.map(\.url) == ["\(Service.root)/me", Service.schedules, Service.schedules])
    }

    @Test @LoopActor func wholeServiceTypesLeaveTheMadeUpDateAlone() async throws {
        let service = Service(serviceTypes: ["77"])
        service.network.route(
            .get, "\(Service.root)/service_types/77", #"{"data":{"type":"ServiceType","id":"77","attributes":{"name":"Sunday Morning"}}}"#)
        service.network.route(
            .get, "\(Service.root)/service_types/77/plans?filter=future&order=sort_date&include=plan_times&per_page=100",
            Self.page([
                #"""
                {"type":"Plan","id":"5005","attributes":{"title":null,"dates":"No dates","sort_date":"2026-11-21T02:00:00Z",
                "last_time_at":null},"relationships":{"plan_times":{"data":[]}}}
                """#
            ]))
        #expect(
            try await service.client.comingPlans() == [
                Plan(id: PlanID("5005"), serviceType: ServiceTypeID("77"), serviceTypeName: "Sunday Morning", dates: "No dates")
            ])
    }

    /// The list of schedules has no titles.
    @Test @LoopActor func aPlanIsAskedForItsTitleOnlyIfItChangedAndKeepsItWithoutAnAnswer() async throws {
        let service = Service()
        var plan = Service.plan
        plan.title = ""
        for list in [Service.items, Service.attachments] { service.network.route(.get, list, Service.nothing) }
        service.network.route(
            .get, Service.place, headers: ["etag": "\"1\""],
            #"{"data":{"type":"Plan","id":"5001","attributes":{"title":"Communion Sunday"}}}"#)
        let first = try await service.client.contents(of: plan)
        #expect(first.plan.displayName == "Communion Sunday")
        let asked = service.network.requests.count
        #expect(try await service.client.contents(of: plan, known: first) == first)
        #expect(service.network.requests.count == asked + 2)
        service.network.route(.get, Service.place, status: 403, "Forbidden")
        var changed = first
        changed.choice = "another"
        #expect(try await service.client.contents(of: plan, known: changed).plan.title == "Communion Sunday")
        #expect(service.network.requests.count == asked + 5)
    }

    @Test @LoopActor func everyRequestSaysWhoAsks() async throws {
        let service = Service()
        service.network.route(.get, Service.schedules, Service.nothing)
        _ = try await service.client.comingPlans()
        let request = try #require(service.network.requests.first)
        #expect(request.credentials == Secret("app:hidden-word"))
        #expect(request.headers.contains { $0 == ("User-Agent", "woodshed-tests/1") })
        #expect(request.headers.contains { $0 == ("X-PCO-API-Version", "2018-11-01") })
    }
}
