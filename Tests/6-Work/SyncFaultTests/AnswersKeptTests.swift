import Agent
import DemoService
import Library
import Model
import Platform
import StandInSupport
import TestSupport
import Testing

@testable import Sync

/// A restarted program requests only changes, and its library still agrees with the service.
@Suite(.onLoop)
struct AnswersKeptTests {
    private let folder = TemporaryFolder()

    @LoopActor private func demo() throws -> StandIn {
        try StandIn.start(load: DemoLoad(plans: 3, chartsPerPlan: 2, bytesPerChart: 20_000, layersPerPlan: 1))
    }

    @LoopActor private func sync(_ demo: StandIn) async throws -> Contents {
        let stage = try Stage(folder, demo, isPatient: true)
        let outcome = await stage.sync()
        #expect(outcome.isComplete, "\(outcome.setbacks)")
        let contents = try Contents(of: stage.library)
        await stage.stop()
        return contents
    }

    @Test @LoopActor func aSecondRunIsToldNothingTwice() async throws {
        let demo = try demo()
        defer { demo.stop() }
        let first = try await sync(demo)
        demo.resetStatistics()
        #expect(try await sync(demo) == first)
        #expect(demo.statistics.requests == 3 + 3 * 3)
        #expect(demo.statistics.unchanged == demo.statistics.requests)
    }

    @Test @LoopActor func whatTheLibraryLostMeanwhileComesBackWithoutTravelling() async throws {
        let demo = try demo()
        defer { demo.stop() }
        let first = try await sync(demo)
        try LibraryFiles(folder: folder.path("data")).run("DELETE FROM items; DELETE FROM layers;")
        demo.resetStatistics()
        let second = try await sync(demo)
        #expect(second == first)
        #expect(demo.statistics.unchanged == 3 + 4 * 3, "plans that look new are asked for their titles, too")
    }

    @Test @LoopActor func damagedAnswersAreAskedForAnew() async throws {
        let demo = try demo()
        defer { demo.stop() }
        let first = try await sync(demo)
        try LibraryFiles(folder: folder.path("data")).run("UPDATE answers SET body = CAST('{\"data\":[]}' AS BLOB);")
        demo.resetStatistics()
        #expect(try await sync(demo) == first)
        #expect(demo.statistics.unchanged == 0)
    }
}
