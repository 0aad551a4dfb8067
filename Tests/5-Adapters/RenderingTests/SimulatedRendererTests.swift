import Model
import Platform
import Rendering
import TestSupport
import Testing

/// The simulated renderer keeps the promises of the real one.
@Suite(.onLoop)
struct SimulatedRendererTests {
    private static let job = PageJob(chart: "a.pdf", page: PageIndex(0), settings: RenderSettings(), outputs: [])

    @LoopActor
    private static func until(_ isSo: () -> Bool) async {
        while !isSo() { await Task.yield() }
    }

    @Test @LoopActor func liveJobsHaveAPlaceOfTheirOwn() async throws {
        let renderer = SimulatedRenderer(width: 1)
        renderer.isHeld = true
        let jobs = [RenderLane.background, .background, .live].map { lane in
            spawnThrowing { try await renderer.render(Self.job, in: lane) }
        }
        await Self.until { renderer.running == 2 }
        #expect(renderer.lanes == [.background, .live])
        for _ in jobs {
            await Self.until { renderer.finishNext() }
        }
        for job in jobs { #expect(try await job.value == PageOutcome()) }
        #expect(renderer.lanes == [.background, .live, .background] && renderer.running == 0)
    }

    @Test @LoopActor func cancelledJobsEndWhetherTheyWaitOrRun() async throws {
        let renderer = SimulatedRenderer(width: 1)
        renderer.isHeld = true
        let running = spawnThrowing { try await renderer.render(Self.job) }
        await Self.until { renderer.running == 1 }
        let waiting = spawnThrowing { try await renderer.render(Self.job) }
        for job in [waiting, running] {
            job.cancel()
            await #expect(throws: RenderFailure.cancelled) { try await job.value }
        }
        #expect(renderer.running == 0 && renderer.started.count == 1)
        // The cancelled job no longer occupies the renderer.
        renderer.isHeld = false
        _ = try await renderer.render(Self.job)
        await renderer.stop()
        await #expect(throws: RenderFailure.stopped) { try await renderer.render(Self.job) }
    }
}
