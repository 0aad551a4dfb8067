import Library
import Model
import Platform
import Sync
import TestSupport
import Testing

@Suite(.onLoop)
struct PollTests {
    @Test @LoopActor func eachChangeIsToldOnceAndNothingIsFetchedTwice() async throws {
        let stage = try Stage(Stage.plans)
        let first = await stage.sync()
        #expect(first.isComplete && !first.changes.isEmpty)
        #expect(stage.told == first.changes)
        #expect(await stage.sync().changes.isEmpty)
        #expect(stage.told == first.changes)
        #expect(stage.service.opened.sorted() == ["1a", "2a"])
    }

    @Test @LoopActor func whatAPollKeptIsThereForTheNextProcess() async throws {
        let stage = try Stage(Stage.plans)
        await stage.sync()
        let kept = try stage.library.plans.all()
        try await stage.stop()
        let next = try Stage([], in: stage.folder)
        #expect(try next.library.plans.all() == kept && kept.count == 2)
    }
}
