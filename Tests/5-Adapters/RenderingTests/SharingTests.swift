import Glibc
import Model
import Platform
import Rendering
import TestSupport
import Testing

/// Which job waits for which: lanes, equal jobs, and callers that give up.
@Suite(.onLoop)
struct SharingTests {
    @Test @LoopActor func equalJobsAreDoneOnce() async throws {
        let bench = Bench()
        let (pid, first) = try await bench.stuckJob()
        let chart = try bench.chart(.halfBlack)
        let others = [RenderLane.background, .live].map { lane in
            spawnThrowing { try await bench.render(chart, settings: Bench.small, in: lane).images[.plain] }
        }
        let different = spawnThrowing { try await bench.render(chart, [.thumbnail], settings: Bench.small).images[.thumbnail] }
        #expect(try await different.value.flatMap { PNGImage($0) } != nil)
        // Only the job that differs needed a second process.
        #expect(bench.pool.processes.count == 2 && bench.pool.requestCount == 3)
        kill(pid, SIGCONT)
        _ = try await first.value
        let image = try #require(try await others[0].value)
        #expect(PNGImage(image)?.height == Bench.small.fullSize)
        #expect(try await others[1].value == image)
        await bench.pool.stop()
    }

    @Test @LoopActor func copiesReplaceWhatStoodInTheirFiles() async throws {
        let bench = Bench()
        let (pid, first) = try await bench.stuckJob()
        let (output, file) = try bench.output(.plain)
        try [UInt8](repeating: 1, count: 3 << 20).withUnsafeBytes { try file.write($0) }
        let job = PageJob(chart: try bench.chart(.halfBlack), page: PageIndex(0), settings: Bench.small, outputs: [output])
        let second = spawnThrowing { try await bench.pool.render(job) }
        await bench.until { bench.pool.requestCount == 2 }
        kill(pid, SIGCONT)
        _ = try await first.value
        _ = try await second.value
        let png = try AtomicFile.read(file.path, limit: 4 << 20)
        #expect(png.suffix(8) == [0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82] && PNGImage(png) != nil)
        await bench.pool.stop()
    }

    @Test @LoopActor func sharedFailureReachesAll() async throws {
        let bench = Bench { $0.width = 1 }
        let (pid, _) = try await bench.stuckJob()
        let chart = try bench.chart(.halfBlack)
        let jobs = (0..<3).map { _ in spawnThrowing { try await bench.render(chart, page: 9, settings: Bench.small) } }
        await bench.until { bench.pool.requestCount == 4 }
        kill(pid, SIGCONT)
        for job in jobs { await #expect(throws: RenderFailure.noSuchPage(PageIndex(9))) { try await job.value } }
        await bench.pool.stop()
    }

    @Test(arguments: [true, false])
    @LoopActor func workGoesOnForThoseWhoStay(isRunning: Bool) async throws {
        let bench = Bench { $0.width = 1 }
        let (pid, running) = try await bench.stuckJob()
        let chart = try bench.chart(.halfBlack)
        let variant = isRunning ? Variant.plain : .thumbnail
        let first = isRunning ? running : spawnThrowing { try await bench.render(chart, [variant], settings: Bench.small).outcome }
        await bench.until { bench.pool.requestCount == (isRunning ? 1 : 2) }
        let second = spawnThrowing { try await bench.render(chart, [variant], settings: Bench.small).images[variant] }
        await bench.until { bench.pool.requestCount == (isRunning ? 2 : 3) }
        first.cancel()
        await #expect(throws: RenderFailure.cancelled) { try await first.value }
        kill(pid, SIGCONT)
        #expect(try await second.value.flatMap { PNGImage($0) }?.height == Bench.small.size(of: variant))
        #expect(bench.pool.processes == [pid])
        await bench.pool.stop()
    }

    @Test @LoopActor func liveJobsDoNotWaitForThoseAhead() async throws {
        // This clock stands still, so the stopped process exceeds no time limit.
        let bench = Bench(clock: HandClock()) {
            $0.width = 1
            $0.isBackground = true
        }
        let (pid, running) = try await bench.stuckJob()
        let chart = try bench.chart(.halfBlack)
        let waiting = spawnThrowing { try await bench.render(chart, [.thumbnail], settings: Bench.small).images[.thumbnail] }
        await bench.until { bench.pool.requestCount == 2 }
        // The live job makes one image of its own, and one for the job that waits in the background.
        _ = try await bench.render(chart, [.plain, .thumbnail], settings: Bench.small, in: .live)
        let image = try await bench.render(chart, [.thumbnail], settings: Bench.small, in: .live).images[.thumbnail]
        #expect(try await waiting.value == image)
        #expect(bench.pool.requestCount == 1)
        let idlePriority: Int32 = 5
        let live = try #require(bench.pool.processes.first { $0 != pid })
        #expect(sched_getscheduler(pid) == idlePriority && sched_getscheduler(live) == SCHED_OTHER)
        kill(pid, SIGCONT)
        _ = try await running.value
        await bench.pool.stop()
    }

    @Test @LoopActor func waitingJobsAreCancelledAtOnce() async throws {
        let bench = Bench { $0.width = 1 }
        let (pid, running) = try await bench.stuckJob()
        let chart = try bench.chart(.halfBlack)
        let waiting = spawnThrowing { try await bench.render(chart, [.thumbnail], settings: Bench.small).outcome }
        await bench.until { bench.pool.requestCount == 2 }
        waiting.cancel()
        await #expect(throws: RenderFailure.cancelled) { try await waiting.value }
        kill(pid, SIGCONT)
        #expect(try await running.value == PageOutcome())
        await bench.pool.stop()
    }

    @Test @LoopActor func workerThatAnswersInTimeSurvivesACancelledJob() async throws {
        let clock = HandClock()
        let grace = Duration.milliseconds(70)
        let bench = Bench(clock: clock) {
            $0.width = 1
            $0.graceTime = grace
        }
        let (pid, job) = try await bench.stuckJob()
        job.cancel()
        // The process stays stopped until the pool has detected that no caller is left.
        await bench.until { clock.nextDeadline == clock.now + grace }
        kill(pid, SIGCONT)
        await #expect(throws: RenderFailure.cancelled) { try await job.value }
        #expect(bench.pool.processes == [pid] && bench.pool.requestCount == 0)
        await bench.pool.stop()
    }

    @Test @LoopActor func workerThatGoesOnWithACancelledJobIsReplaced() async throws {
        let bench = Bench { $0.width = 1 }
        _ = try await bench.pool.identity()
        let pid = try #require(bench.pool.processes.first)
        let before = Bench.computed(pid)
        let endless = try bench.chart(.endless, name: "endless.pdf")
        let job = spawnThrowing { try await bench.render(endless).outcome }
        await bench.until { Bench.computed(pid) > before + .milliseconds(100) }
        job.cancel()
        await #expect(throws: RenderFailure.cancelled) { try await job.value }
        #expect(kill(pid, 0) == -1 && errno == ESRCH)
        #expect(try await bench.render(bench.chart(.halfBlack), settings: Bench.small).images.count == 1)
        await bench.pool.stop()
    }

    @Test @LoopActor func jobLikeOneThatIsGivenUpIsDoneAnew() async throws {
        let clock = HandClock()
        let bench = Bench(clock: clock) { $0.width = 1 }
        let (_, job) = try await bench.stuckJob()
        job.cancel()
        let chart = try bench.chart(.halfBlack)
        let again = spawnThrowing { try await bench.render(chart, settings: Bench.small).outcome }
        await bench.until { bench.pool.requestCount == 2 }
        clock.advance(by: .milliseconds(50))
        await #expect(throws: RenderFailure.cancelled) { try await job.value }
        #expect(try await again.value == PageOutcome())
        await bench.pool.stop()
    }
}
