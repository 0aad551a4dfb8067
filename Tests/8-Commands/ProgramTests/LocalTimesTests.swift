import Glibc
import Library
import Model
import Platform
import StandInSupport
import TestSupport
import Testing

/// A plan's day is the musician's local day, wherever a day is shown or typed.
@Suite(.onLoop, .serialized)
struct LocalTimesTests {
    /// A time zone in which the evening is already the next day in UTC.
    private static let zone = ["TZ=MST7"]

    @LoopActor private func run(_ place: Place, _ words: String...) async throws -> Program.Result {
        try await Program.run("woodshed", words + ["--home", place.home.path], environment: Self.zone)
    }

    @Test @LoopActor func anEveningIsThatDayInEveryCommandAndFolder() async throws {
        let place = try Place()
        let today = SystemClock().timestamp.date
        let midnight = try #require(Timestamp(today + "T00:00:00Z"))
        // In that zone, half past seven in the evening of the day after tomorrow.
        let evening = midnight + .seconds(3 * 86_400 + 9000)
        let (day, nextDay) = ((midnight + .seconds(2 * 86_400)).date, evening.date)
        try place.service.edit(.setTimes(plan: "67810002", starts: [evening.description]))
        let sync = try await run(place, "sync")
        #expect(sync.exit == .code(0), "\(sync.messages)")
        let folders = try Folder.names(in: place.home.path("music"))
        #expect(folders.contains { $0.hasPrefix(day) } && !folders.contains { $0.hasPrefix(nextDay) }, "\(folders)")

        let plans = try await run(place, "plans").output
        #expect(plans.contains("\(day) 19:30  ") && !plans.contains("UTC"), "\(plans)")
        let pin = try await run(place, "pin", day)
        #expect(pin.exit == .code(0) && pin.output.hasPrefix(day + " ") && pin.output.contains("67810002"), "\(pin.output)\(pin.messages)")
        #expect(try await run(place, "ready", "--plan", day).exit == .code(0))
        #expect(try await run(place, "ready", "--plan", nextDay).exit == .code(3))
        #expect(try await run(place, "status").output.contains("19:30"))

        try place.service.edit(.setTimes(plan: "67810002", starts: [(evening + .seconds(1800)).description]))
        let moved = try await run(place, "sync")
        #expect(moved.output.contains("moved from \(day) 19:30 to \(day) 20:00"), "\(moved.output)")
        let log = try await run(place, "log").output
        #expect(log.contains("moved from \(day) 19:30 to \(day) 20:00") && !log.contains("UTC"), "\(log)")
        #expect(try await run(place, "why", "79073904", "1").output.contains("UTC") == false)
    }

    /// The part of `text` that is for people. Programs read times as the service writes them, and can convert them to any zone.
    private func read(_ text: String) -> String { text.replacing(/[-0-9]{10}T[:.0-9]+Z/, with: "") }

    @Test @LoopActor func aWednesdayEveningIsOnOneDayWhereverItIsTold() async throws {
        let place = try Place()
        // In the organisation's zone, this plan begins at 19:30 on its day, which is the next day in UTC.
        let (plan, title) = ("67820001", "Songs of the House")
        let first = try await run(place, "sync")
        #expect(first.exit == .code(0), "\(first.messages)")
        let library = try Library(readingFrom: place.home.path("data"))
        let evening = try #require(library.plans.all().first { $0.plan.id.text == plan }?.plan.firstTime)
        library.close()
        let zone: Duration = .seconds(7 * 3600)
        let nextYear = evening + .seconds(364 * 86_400)
        let wrong = [evening.date, nextYear.date, "UTC"]
        func told(_ result: Program.Result, _ what: String, _ words: String = "") {
            let text = read(result.output + result.messages)
            #expect(text.contains(what), "\(words): \(text)")
            for day in wrong { #expect(!text.contains(day), "\(words): \(text)") }
        }
        let (day, later) = ((evening - zone).date, (nextYear - zone).date)
        #expect(day != evening.date)
        told(first, "\(title) (\(day)) is new")
        told(try await run(place, "log"), "\(title) (\(day)) is new")
        told(try await run(place, "log", "--json"), "\(title) (\(day)) is new")
        told(try await run(place, "plans"), "\(day) 19:30  \(title)")
        told(try await run(place, "ready", "--plan", day), title)
        told(try await run(place, "pin", day), "\(day) \(title)")
        told(try await run(place, "status"), "Wed ")

        // The service moves the plan to another year, and the change is held back.
        try place.service.edit(.setTimes(plan: plan, starts: [nextYear.description]))
        let held = "it is on \(later) 19:30 instead of \(day) 19:30"
        let sync = try await run(place, "sync")
        #expect(sync.exit == .code(3), "\(sync.messages)")
        for words in [
            ["sync", "--json"], ["log"], ["log", "--json"], ["plans"], ["plans", "--json"], ["status"], ["ready", "--plan", plan],
        ] {
            told(
                try await Program.run("woodshed", words + ["--home", place.home.path], environment: Self.zone), held, "\(words)")
        }
        told(sync, held)

        let agent = try Program("woodshed", ["agent", "--home", place.home.path], environment: Self.zone)
        try await waitUntil { try agent.messagesSoFar().contains("asleep") }
        let address = try await run(place, "open").output
        let port = try #require(address.firstMatch(of: /localhost:(\d+)/)?.1)
        let open = try #require(address.firstRange(of: "/open"))
        func get(_ path: String, cookie: String = "") async throws -> HTTPProbe.Reply {
            let url = "http://127.0.0.1:\(port)\(path)"
            return try await SideThread().run { try HTTPProbe.send("GET", url, headers: [("Cookie", cookie)]) }
        }
        let entrance = try await get(String(address[open.lowerBound...].prefix { $0 != "\n" }))
        let state = read(try await get("/api/state", cookie: String((entrance.headers["set-cookie"] ?? "").prefix { $0 != ";" })).text)
        #expect(state.contains(held), "\(state)")
        for day in wrong { #expect(!state.contains(day), "\(state)") }
        agent.child.kill(SIGTERM)
        let result = try await agent.result()
        told(result, held)
    }
}
