import Foundation
import Model
import PlanningCenter
import Platform
import TestSupport
import Testing

/// The service's `Date` compared with this machine's clock.
@Suite(.onLoop)
struct ServiceClockTests {
    private func date(_ time: Duration) -> String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(identifier: "GMT")
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return formatter.string(from: Date(timeIntervalSince1970: TimeInterval(time.components.seconds)))
    }

    /// The client's clock after a series of answers. Each number is how many seconds an answer's date is ahead; `nil` is an answer without
    /// a date.
    @LoopActor private func clock(_ ahead: [Int?]) async throws -> ServiceClock {
        let service = Service()
        for ahead in ahead {
            let headers = ahead.map { ["date": date(service.clock.wallTime + .seconds($0))] } ?? [:]
            service.network.route(.get, Service.items, headers: headers, Service.nothing)
            service.network.route(.get, Service.attachments, headers: headers, Service.nothing)
            _ = try await service.client.contents(of: Service.plan)
        }
        return service.client.clock
    }

    @Test(arguments: [0, 60, -60, 299, -299]) @LoopActor func aServiceThatMeansTheSameTimeAgrees(seconds: Int) async throws {
        #expect(try await clock([seconds]).agrees)
        #expect(try await clock([seconds, nil]).agrees)
    }

    @Test(arguments: [302, -302, 86_400 * 60, -86_400 * 60, 86_400 * 3650]) @LoopActor
    func oneThatMeansAnotherDoesNot(seconds: Int) async throws {
        let clock = try await clock([0, seconds, 0])
        #expect(!clock.agrees)
        #expect(clock.difference.map { Int($0.components.seconds) / 10 } == -seconds / 10)
    }

    @Test @LoopActor func oneThatTellsNoTimeIsNotTakenForOneThatAgrees() async throws {
        #expect(try await clock([nil]).agrees == false)
        #expect(try await clock([nil]).difference == nil)
        let service = Service()
        #expect(!service.client.clock.agrees)
    }
}
