import Model
import PlanningCenter
import Platform
import TestSupport
import Testing

@Suite(.onLoop)
struct RateWindowTests {
    /// The service may start its twenty seconds at any moment, so every stretch of that length is checked.
    @Test @LoopActor func noStretchOfAPeriodHoldsMoreThanHalfOfTheLimit() async throws {
        let clock = SimulatedClock()
        var moments: [Moment] = []
        let network = SimulatedNetwork(time: clock) { _ throws(HTTPFailure) in
            moments.append(clock.now)
            return HTTPResponse(status: 200, body: Array(#"{"data":[],"included":[],"links":{}}"#.utf8))
        }
        let client = PlanningCenterClient(
            account: Account(apiURL: "https://service.test", credentials: Secret("a:b"), personID: "1", userAgent: "test"),
            transport: network, time: clock, log: .silent)
        var waits: [ServiceWait?] = []
        client.onWait { waits.append(client.wait) }
        try await clock.run {
            // Bursts at odd times; one of them straddles the end of a period.
            for pause in [0, 19, 2, 7, 30, 1] {
                try await clock.sleep(for: .seconds(pause))
                for _ in 0..<30 { _ = try await client.comingPlans() }
            }
        }
        #expect(moments.count == 180)
        #expect(client.wait == nil)
        // The beginning and the end of each wait are reported.
        #expect(waits.contains { $0.map { (15...20).contains($0.seconds) && !$0.isAsked } ?? false }, "\(waits)")
        #expect(waits.last == .some(nil))
        for (index, moment) in moments.enumerated() {
            let within = moments[index...].prefix { $0 - moment < .seconds(20) }.count
            #expect(within <= 50)
        }
    }
}
