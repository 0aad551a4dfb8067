import Glibc
import Model
import Platform
import Rendering
import TestSupport
import Testing

/// What happens to jobs when their process fails.
@Suite(.onLoop)
struct WorkerFaultTests {
    @Test @LoopActor func killedWorkerCostsItsJobAndNoOther() async throws {
        let bench = Bench { $0.width = 1 }
        _ = try await bench.pool.identity()
        let pid = try #require(bench.pool.processes.first)
        let before = Bench.computed(pid)
        let endless = try bench.chart(.endless, name: "endless.pdf")
        let job = spawnThrowing { try await bench.render(endless).outcome }
        let chart = try bench.chart(.halfBlack)
        let next = spawnThrowing { try await bench.render(chart).outcome }
        // Wait until the page is well under way.
        await bench.until { Bench.computed(pid) > before + .milliseconds(200) }
        kill(pid, SIGKILL)
        let failure = await #expect(throws: RenderFailure.self) { try await job.value }
        guard case .crashed(let how) = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
        #expect(how.contains("signal 9"))
        #expect(try await next.value == PageOutcome())
        #expect(bench.pool.processes != [pid])
        await bench.pool.stop()
    }

    @Test(arguments: [SIGTERM, SIGINT, SIGHUP])
    @LoopActor func workerThatIsAskedToEndDoesNotBlameItsJob(signal: Int32) async throws {
        let bench = Bench { $0.width = 1 }
        _ = try await bench.pool.identity()
        let pid = try #require(bench.pool.processes.first)
        let before = Bench.computed(pid)
        let endless = try bench.chart(.endless, name: "endless.pdf")
        let job = spawnThrowing { try await bench.render(endless).outcome }
        await bench.until { Bench.computed(pid) > before + .milliseconds(200) }
        kill(pid, signal)
        await #expect(throws: RenderFailure.stopped) { try await job.value }
        #expect(try await bench.render(bench.chart(.halfBlack)).outcome == PageOutcome())
        await bench.pool.stop()
    }

    @Test @LoopActor func jobThatADyingWorkerNeverReadIsDoneByAnother() async throws {
        let bench = Bench { $0.width = 1 }
        let (pid, job) = try await bench.stuckJob()
        kill(pid, SIGKILL)
        #expect(try await job.value == PageOutcome())
        #expect(bench.pool.processes != [pid])
        await bench.pool.stop()
    }

    @Test @LoopActor func hangingWorkerIsEndedInTime() async throws {
        let clock = HandClock()
        let bench = Bench(clock: clock) {
            $0.width = 1
            $0.jobTime = .seconds(60)
        }
        let (pid, job) = try await bench.stuckJob()
        clock.advance(by: .seconds(60))
        // The process was stopped and used no processor time, so the failure does not blame the page.
        await #expect(throws: RenderFailure.heldUp(seconds: 60)) { try await job.value }
        #expect(kill(pid, 0) == -1 && errno == ESRCH)
        await bench.pool.stop()
    }

    /// Text layout uses threads, so they cannot be forbidden. The limit stops a hijacked process from starting a crowd of them.
    @Test @LoopActor func workerWithTooManyThreadsIsEnded() async throws {
        let clock = HandClock()
        let bench = Bench(clock: clock) {
            $0.width = 1
            $0.mostThreads = 0
        }
        let (pid, job) = try await bench.stuckJob()
        clock.advance(by: .milliseconds(250))
        await #expect(throws: RenderFailure.crashed("was ended because it had 1 threads")) { try await job.value }
        #expect(kill(pid, 0) == -1 && errno == ESRCH)
        await bench.pool.stop()
    }

    /// The limit also holds for a worker without a job, even if the worker has answered before.
    @Test @LoopActor func idleWorkerWithTooManyThreadsIsEnded() async throws {
        let clock = HandClock()
        let bench = Bench(clock: clock) { $0.mostThreads = 0 }
        _ = try await bench.pool.identity()
        let pid = try #require(bench.pool.processes.first)
        clock.advance(by: .milliseconds(250))
        await bench.until { kill(pid, 0) == -1 }
        await bench.pool.stop()
    }

    /// Two large pages at the same time may need more memory than the machine has; one after the other, they do not.
    @Test @LoopActor func whatTakesTooMuchMemoryTogetherIsDoneOneAfterTheOther() async throws {
        let clock = HandClock()
        let bench = Bench(clock: clock) {
            $0.width = 2
            // However slow the test is on this machine, only the large page's own clock may end that page.
            $0.cpuSeconds = 3600
            $0.jobTime = .seconds(60)
            $0.memoryTogether = ByteCount(1)
        }
        let (small, first) = try await bench.stuckJob()
        // The chart has a file name of its own, because a repeated job reads its chart again.
        let large = spawnThrowing { try await bench.render(bench.chart(.endless, name: "endless.pdf")) }
        await bench.until { bench.pool.requestCount == 2 }
        let process = try #require(bench.pool.processes.first { $0 != small })
        // The large page has been drawn for a while, and the other has not begun.
        await bench.until { Bench.computed(process) > .milliseconds(300) }
        clock.advance(by: .milliseconds(250))
        // The process with more memory is ended. Which of the two that is depends on the machine.
        await bench.until { bench.pool.processes.count == 1 }
        let left = bench.pool.processes
        #expect(bench.pool.requestCount == 2, "the other waits until nobody else is at work")
        clock.advance(by: .seconds(10))
        #expect(bench.pool.processes == left, "one alone is let be")
        if left == [small] {
            kill(small, SIGCONT)
            #expect(try await first.value == PageOutcome())
            await bench.until { bench.pool.requestCount == 1 }
        }
        clock.advance(by: .seconds(60))
        await #expect(throws: RenderFailure.heldUp(seconds: 60)) { try await large.value }
        #expect(try await first.value == PageOutcome())
        await bench.pool.stop()
    }

    /// A worker with idle priority gets no time on a busy machine, so it is replaced by one with normal priority. If it were kept,
    /// a machine that is busy for days would draw nothing.
    @Test @LoopActor func whatABusyMachineLeavesNothingForTakesItsShare() async throws {
        let clock = HandClock()
        let bench = Bench(clock: clock) {
            $0.width = 1
            $0.isBackground = true
        }
        let idlePriority: Int32 = 5
        // A stopped process computes as little as on a machine that is fully busy with other work.
        let (starved, job) = try await bench.stuckJob()
        #expect(sched_getscheduler(starved) == idlePriority)
        clock.advance(by: .milliseconds(4900))
        #expect(bench.pool.processes == [starved], "a moment is no reason")
        clock.advance(by: .milliseconds(250))
        #expect(try await job.value == PageOutcome())
        let fair = try #require(bench.pool.processes.first)
        #expect(fair != starved && sched_getscheduler(fair) == SCHED_OTHER)

        // Later, a new process gets the idle priority again.
        clock.advance(by: .seconds(600))
        _ = try await bench.render(try bench.chart(.halfBlack), settings: Bench.small)
        let quiet = try #require(bench.pool.processes.first)
        #expect(quiet != fair && sched_getscheduler(quiet) == idlePriority)
        await bench.pool.stop()
    }

    /// A worker whose page is merely slow gets processor time, so it is not replaced.
    @Test(.needs(.realTime)) @LoopActor func whatComputesIsLetBe() async throws {
        let clock = HandClock()
        let bench = Bench(clock: clock) {
            $0.width = 1
            $0.isBackground = true
            $0.cpuSeconds = 3600
        }
        _ = try await bench.pool.identity()
        let pid = try #require(bench.pool.processes.first)
        let before = Bench.computed(pid)
        let endless = try bench.chart(.endless, name: "endless.pdf")
        let job = spawnThrowing { try await bench.render(endless).outcome }
        await bench.until { Bench.computed(pid) > before + .milliseconds(400) }
        clock.advance(by: .milliseconds(5250))
        let then = Bench.computed(pid)
        await bench.until { Bench.computed(pid) > then + .milliseconds(100) }
        #expect(bench.pool.processes == [pid] && Bench.computed(pid) < .seconds(3600), "it goes on")
        job.cancel()
        await bench.pool.stop()
    }

    @Test @LoopActor func whenMemoryRunsOutTheWorkerGoesFirst() async throws {
        let bench = Bench { $0.width = 1 }
        _ = try await bench.pool.identity()
        let pid = try #require(bench.pool.processes.first)
        let score = try AtomicFile.read("/proc/\(pid)/oom_score_adj", limit: 16)
        #expect(String(decoding: score, as: UTF8.self) == "1000\n")
        await bench.pool.stop()
    }

    @Test @LoopActor func aJobWithLessPatienceMayComputeForLess() async throws {
        let bench = Bench { $0.width = 1 }
        let (output, file) = try bench.output(.plain)
        defer { withExtendedLifetime(file) {} }
        let job = PageJob(
            chart: try bench.chart(.endless), page: PageIndex(0), settings: Bench.small, outputs: [output], patience: .seconds(1))
        await #expect(throws: RenderFailure.timedOut(seconds: 1)) { try await bench.pool.render(job, in: .background) }
        await bench.pool.stop()
    }

    @Test @LoopActor func endlessPageIsEndedByItsComputingTime() async throws {
        let bench = Bench { $0.cpuSeconds = 1 }
        let chart = try bench.chart(.endless)
        await #expect(throws: RenderFailure.timedOut(seconds: 1)) { try await bench.render(chart) }
        await bench.pool.stop()
    }

    @Test @LoopActor func computingTimeIsCountedJobByJob() async throws {
        let bench = Bench {
            $0.width = 1
            $0.cpuSeconds = 1
            // With the usual limit of jobs per process, a fast machine would replace the process during the test.
            $0.mostJobs = .max
        }
        let chart = try bench.chart(.halfBlack)
        _ = try await bench.pool.identity()
        let pid = try #require(bench.pool.processes.first)
        // In all its jobs together, one process computes for longer than a single job may.
        while Bench.computed(pid) < .milliseconds(1500) { _ = try await bench.render(chart, Variant.allCases) }
        #expect(bench.pool.processes == [pid])
        await bench.pool.stop()
    }

    @Test @LoopActor func memoryBombCostsItsJob() async throws {
        let bench = Bench { $0.addressSpace = ByteCount(200 << 20) }
        let chart = try bench.chart(.halfBlack)
        let settings = RenderSettings(fullSize: 8000)
        await #expect(throws: RenderFailure.self) { try await bench.render(chart, [.plain, .annotated], settings: settings) }
        #expect(try await bench.render(chart, settings: RenderSettings(fullSize: 100)).images.count == 1)
        await bench.pool.stop()
    }

    @Test @LoopActor func stoppingFailsWhatRunsAndWhatWaits() async throws {
        let bench = Bench { $0.width = 1 }
        let (pid, running) = try await bench.stuckJob()
        let chart = try bench.chart(.halfBlack)
        let waiting = spawnThrowing { try await bench.render(chart, [.thumbnail], settings: Bench.small).outcome }
        await bench.until { bench.pool.requestCount == 2 }
        await bench.pool.stop()
        await #expect(throws: RenderFailure.stopped) { try await running.value }
        await #expect(throws: RenderFailure.stopped) { try await waiting.value }
        #expect(kill(pid, 0) == -1 && errno == ESRCH)
    }

    @Test @LoopActor func programThatIsMissingCannotBeStarted() async throws {
        let bench = Bench { $0.program = "/nonexistent/woodshed-render" }
        let failure = await #expect(throws: RenderFailure.self) { try await bench.pool.identity() }
        guard case .cannotStart(let why) = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
        #expect(why.contains("/nonexistent/woodshed-render"))
    }
}
