import Foundation
import StandInSupport
import TestSupport
import Testing

/// The contents of plans, their items and the musician's schedules.
@Suite(.timeLimit(.minutes(5)))
struct DemoPlansTests {
    /// Whatever day of two weeks the stand-in starts on, one plan is past and three are to come.
    @Test(arguments: 0..<14) func onePlanIsPastAndThreeAreToCome(days: Int) throws {
        for hour in [0, 12, 23] {
            let now = Stand.saturday - 12 * 3600 + days * 86_400 + hour * 3600
            let stand = try Stand(at: now)
            let future = try stand.api("GET", "/people/104/schedules?filter=future&order=starts_at&include=plan_times").json
            #expect(future["data"].list.count == 3)
            let starts = future["included"].list.compactMap { $0["attributes"]["starts_at"].text.flatMap(seconds) }
            #expect(starts == starts.sorted())
            #expect(starts.allSatisfy { $0 > now && $0 < now + 21 * 86_400 })
            let past = try stand.api("GET", "/people/104/schedules?filter=past&include=plan_times").json
            #expect(past["data"].list.count == 1)
            let ends = past["included"].list.compactMap { $0["attributes"]["ends_at"].text.flatMap(seconds) }
            #expect(ends.allSatisfy { $0 < now - 12 * 3600 && $0 > now - 16 * 86_400 })
        }
    }

    @Test func sameDayGivesTheSameState() throws {
        let morning = try Stand(at: Stand.saturday - 11 * 3600)
        let evening = try Stand(at: Stand.saturday + 11 * 3600)
        #expect(morning.service.state == evening.service.state)
        let tomorrow = try Stand(at: Stand.saturday + 13 * 3600)
        #expect(morning.service.state != tomorrow.service.state)
    }

    @Test func attachmentsAreNoNewerOnAnotherDay() throws {
        let today = try Stand().api("GET", "/service_types/501001/plans/67810002/all_attachments?per_page=100")
        let later = try Stand(at: Stand.saturday + 90 * 86_400).api(
            "GET", "/service_types/501001/plans/67810002/all_attachments?per_page=100")
        #expect(
            today.json["data"].list.map { $0["attributes"]["updated_at"].text }
                == later.json["data"].list.map { $0["attributes"]["updated_at"].text })
        #expect(today.json["data"].list.map(\.id) == later.json["data"].list.map(\.id))
    }

    @Test func timesAreInstantsAndSortDatesAreWallTime() throws {
        let stand = try Stand()
        let reply = try stand.api("GET", "/service_types/501001/plans/67810002?include=plan_times").json
        // The second time is ten in the morning in a zone seven hours behind Greenwich.
        #expect(reply["included"].list.map { $0["attributes"]["starts_at"].text } == ["2026-11-22T15:30:00Z", "2026-11-22T17:00:00Z"])
        let plan = reply["data"]["attributes"]
        #expect(plan["sort_date"].text == "2026-11-22T08:30:00Z")
        #expect(plan["last_time_at"].text == "2026-11-22T10:00:00Z")
        #expect(plan["files_expire_at"].text == "2026-12-07T10:00:00Z")
        #expect(plan["dates"].text == "November 22, 2026")
        #expect(plan["short_dates"].text == "Nov 22")
        #expect(plan["service_time_count"].number == 1)
        #expect(plan["rehearsal_time_count"].number == 1)
        let times = try stand.api("GET", "/service_types/501001/plans/67810002/plan_times").json
        #expect(times["data"].list.map(\.id) == reply["included"].list.map(\.id))
    }

    @Test func planWithoutTimesIsSortedByTheMomentOfAsking() throws {
        let stand = try Stand()
        try stand.service.edit(.setTimes(plan: "67810003", starts: []))
        func sortDate() throws -> String? {
            try stand.api("GET", "/service_types/501001/plans/67810003").json["data"]["attributes"]["sort_date"].text
        }
        let first = try sortDate()
        stand.pass(1)
        let second = try sortDate()
        #expect(first == "2026-11-21T05:00:00Z")
        #expect(second == "2026-11-21T05:00:01Z")
        let future = try stand.api("GET", "/service_types/501001/plans?filter=future").json["data"].list
        #expect(future.map(\.id).contains("67810003"))
    }

    @Test func plansAreFilteredAndOrdered() throws {
        let stand = try Stand()
        func ids(_ query: String) throws -> [String] {
            try stand.api("GET", "/service_types/501001/plans?" + query).json["data"].list.map(\.id)
        }
        #expect(try ids("filter=future&order=sort_date") == ["67810002", "67810003"])
        #expect(try ids("filter=future&order=-sort_date") == ["67810003", "67810002"])
        #expect(try ids("filter=past") == ["67810001"])
        #expect(try ids("order=title") == ["67810002", "67810003", "67810001"])
        #expect(try stand.api("GET", "/service_types/501001/plans?order=nonsense").status == 400)
        #expect(try stand.api("GET", "/service_types/501001/plans?filter=nonsense").status == 400)
        #expect(try stand.api("GET", "/service_types").json["data"].list.map(\.id) == ["501001", "501002"])
    }

    @Test func scheduleNamesItsPlan() throws {
        let schedule = try #require(
            Stand().api("GET", "/people/104/schedules?filter=future&order=starts_at").json["data"].list.dropFirst().first)
        #expect(schedule["attributes"]["status"].text == "U")
        #expect(schedule["attributes"]["service_type_name"].text == "Midweek Evening")
        #expect(schedule["attributes"]["organization_time_zone"].text == "America/Phoenix")
        #expect(schedule["relationships"]["plan"]["data"].id == "67820001")
        #expect(schedule["relationships"]["service_type"]["data"].id == "501002")
        #expect(schedule["relationships"]["plan_times"]["data"].list.map(\.id) == ["31500009"])
    }

    @Test func itemsComeInOrderWithWhatTheyName() throws {
        let reply = try Stand().api("GET", "/service_types/501001/plans/67810002/items?include=song,arrangement,key&per_page=100").json
        let items = reply["data"].list
        #expect(items.map { $0["attributes"]["sequence"].number } == Array(1...items.count))
        #expect(Set(items.compactMap { $0["attributes"]["item_type"].text }) == ["song", "header", "media", "item"])
        #expect(items[0]["attributes"]["title"].text == "PRE-SERVICE")
        #expect(items[0]["relationships"]["song"]["data"].isNull)
        let song = try #require(items.first { $0["attributes"]["title"].text == "Amazing Grace" })
        #expect(song["attributes"]["key_name"].text == "G")
        let arrangement = reply["included"].list.first { $0.id == song["relationships"]["arrangement"]["data"].id }
        #expect(arrangement?["attributes"]["bpm"].number == 84)
        for (name, type) in [("song", "Song"), ("arrangement", "Arrangement"), ("key", "Key")] {
            let id = song["relationships"][name]["data"].id
            #expect(reply["included"].list.contains { $0["type"].text == type && $0.id == id })
        }
    }

    private func seconds(_ text: String) -> Int? {
        ISO8601DateFormatter().date(from: text).map { Int($0.timeIntervalSince1970) }
    }
}
