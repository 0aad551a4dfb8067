import Agent
import Library
import Model
import Platform
import TestSupport
import Testing

@testable import Readiness
@testable import Sync

/// A complete poll under former settings does not count under new ones.
@Suite(.onLoop)
struct AskedSettingsTests {
    @Test @LoopActor func otherSettingsAreReadyWhenTheServiceWasAskedWithThem() async throws {
        let folder = TemporaryFolder()
        @LoopActor func stage(_ include: String) throws -> Stage {
            let asked = AskedSettings(["charts.include": include, "plans.ahead": "1"])
            return try Stage([.sunday], in: folder, settings: AgentSettings(asked: asked))
        }
        let first = try stage("[]")
        #expect(await first.sync().isComplete)
        #expect(try await first.agent.readiness().isReady)
        await first.agent.stop()
        first.library.close()

        let second = try stage("[drums]")
        let lacks = try await second.agent.readiness().plans.flatMap(\.lacks)
        #expect(lacks == [.askedOtherwise(settings: ["charts.include"])])
        #expect(await second.sync().isComplete)
        #expect(try await second.agent.readiness().isReady)
    }

    /// Marks are requested separately, so they may be missing although the plans have arrived. A new address for marks then does
    /// not count as asked yet.
    @Test @LoopActor func marksThatDidNotComeAreNotAskedFor() async throws {
        let folder = TemporaryFolder()
        @LoopActor func stage(_ address: String) throws -> Stage {
            try Stage([.sunday], in: folder, settings: AgentSettings(asked: AskedSettings(["annotations_url": address])))
        }
        let first = try stage("")
        #expect(await first.sync().isComplete)
        await first.agent.stop()
        first.library.close()

        let second = try stage("https://elsewhere.test")
        second.service.layersStatus = 400
        #expect(await !second.sync().isComplete)
        #expect(try await second.agent.readiness().plans.flatMap(\.lacks) == [.askedOtherwise(settings: ["annotations_url"])])
        second.service.layersStatus = 200
        #expect(await second.sync().isComplete)
        #expect(try await second.agent.readiness().isReady)
    }
}
