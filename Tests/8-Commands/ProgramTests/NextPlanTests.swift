import Platform
import StandInSupport
import TestSupport
import Testing

/// All commands agree on the next plan, even if nothing of that plan is here yet. If they did not, somebody might print the music of
/// another service.
@Suite(.onLoop, .serialized)
struct NextPlanTests {
    @Test @LoopActor func aNextPlanThatIsOnlyListedIsTheNextPlanForAll() async throws {
        let place = try Place()
        // The fault lasts for as many requests as one sync makes for the nearest plan's running order.
        place.service.setFault(.serverError, on: .items, times: 3)
        #expect(try await place.run("sync").exit != .code(0))
        place.service.setFault(nil, on: .items)

        let plans = try await place.run("plans")
        let first = try #require(plans.output.split(separator: "(plan ").dropFirst().first?.prefix { $0 != ")" })
        #expect(
            plans.output.contains("  not fetched yet: ") && plans.output.contains(" --plan \(first)' asks for it alone"), "\(plans.output)")
        let ready = try await place.run("ready")
        #expect(ready.exit == .code(3) && ready.output.contains("that could not be fetched"), "\(ready.output)")
        for command in [["export", "next", "-o", place.home.path("out.pdf")], ["pin", "next"], ["cache", "clear", "--plan", "next"]] {
            let refused = try await Program.run("woodshed", command + ["--home", place.home.path])
            #expect(refused.exit == .code(3), "\(command): \(refused.output)\(refused.messages)")
            #expect(
                refused.messages.contains(" is not fetched yet: ") && refused.messages.contains(" --plan \(first)' asks for it alone"),
                "\(refused.messages)")
            #expect(refused.messages.contains("The plan after it is here: "), "\(refused.messages)")
        }
        #expect(try Folder.names(in: place.home.path).contains("out.pdf") == false)

        // Request only that plan. It is then the next plan for commands that need its music, too.
        #expect(try await place.run("sync", "--plan", "next").exit == .code(0))
        #expect(try await place.run("pin", "next").output.contains("(plan \(first)): pinned"))
    }

    /// On a new laptop, only the service can match a date to a plan, or a title to a chart.
    @Test(arguments: [("--plan", "midweek"), ("--chart", "riverside")])
    @LoopActor func aPlanOrChartIsSyncedByItsNameAtTheFirstTime(flag: String, name: String) async throws {
        let place = try Place()
        let sync = try await place.run("sync", flag, name)
        #expect(sync.exit == .code(0), "\(sync.output)\(sync.messages)")
        #expect(sync.messages.contains("downloaded") && !sync.messages.contains(" 0 charts downloaded"), "\(sync.messages)")
    }
}
