import DemoService
import Glibc
import Model
import Platform
import TestSupport
import Testing

/// A plan is on the day on which the musician plays it, wherever that is told or typed.
@Suite(.onLoop, .serialized, .timeLimit(.minutes(15)))
struct LocalTimesTests {
    /// A zone in which an evening is the next day in UTC.
    private static let zone = ["TZ=MST7"]

    @LoopActor private func run(_ place: Place, _ words: String...) async throws -> Program.Result {
        try await Program.run("woodshed", words + ["--home", place.home.path], environment: Self.zone)
    }

    @Test @LoopActor func anEveningIsThatDayInEveryCommandAndFolder() async throws {
        let place = try Place()
        let today = Timestamp(sinceEpoch: SystemClock().wallTime).date
        let midnight = try #require(Timestamp(today + "T00:00:00Z"))
        // At half past seven in the evening of the day after tomorrow.
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
        #expect(try await run(place, "ready", "--plan", nextDay).exit == .code(1))
        #expect(try await run(place, "status").output.contains("19:30"))

        try place.service.edit(.setTimes(plan: "67810002", starts: [(evening + .seconds(1800)).description]))
        let moved = try await run(place, "sync")
        #expect(moved.output.contains("moved from \(day) 19:30 to \(day) 20:00"), "\(moved.output)")
        let log = try await run(place, "log").output
        #expect(log.contains("moved from \(day) 19:30 to \(day) 20:00") && !log.contains("UTC"), "\(log)")
        #expect(try await run(place, "why", "79073904", "1").output.contains("UTC") == false)
    }
}
