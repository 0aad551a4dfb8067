import Glibc
import Model
import Platform
import Rendering
import TestSupport
import Testing

/// Hostile PDFs fail only their own jobs, and take no more than the limit.
@Suite(.onLoop)
struct HostileTests {
    /// One process, which every job must share with the hostile one.
    @LoopActor
    private static func bench() -> Bench {
        Bench {
            $0.width = 1
            $0.cpuSeconds = 1
            // One second of computing may take minutes on a busy machine.
            $0.jobTime = .seconds(800)
        }
    }

    /// Runs the hostile job and, behind it, a good one; returns the failure of the hostile one.
    @LoopActor
    private static func failure(
        of pdf: [UInt8], on bench: Bench, _ job: @escaping @LoopActor (Bench, String) async throws -> Void
    ) async throws -> RenderFailure? {
        let chart = try bench.chart(pdf, name: "hostile.pdf")
        let good = try bench.chart(.halfBlack, name: "good.pdf")
        let hostile = spawnThrowing { try await job(bench, chart) }
        let next = spawnThrowing { try await bench.render(good, [.thumbnail], settings: Bench.small).images[.thumbnail] }
        #expect(try await next.value.flatMap { PNGImage($0) } != nil)
        do {
            try await hostile.value
            return nil
        } catch {
            return try #require(error as? RenderFailure)
        }
    }

    @LoopActor
    private static func render(_ bench: Bench, _ chart: String) async throws {
        _ = try await bench.render(chart, settings: Bench.small)
    }

    @LoopActor
    private static func describe(_ bench: Bench, _ chart: String) async throws {
        _ = try await bench.pool.describe(chart: chart)
    }

    @Test(.needs(.realTime)) @LoopActor func pagesThatAreNeverDoneAreEnded() async throws {
        let bench = Self.bench()
        #expect(try await Self.failure(of: TestPDF.endless.bytes, on: bench, Self.render) == .timedOut(seconds: 1))
        #expect(try await Self.failure(of: HostilePDF.tiling.bytes, on: bench, Self.render) == .timedOut(seconds: 1))
        await bench.pool.stop()
    }

    @Test(.needs(.realTime)) @LoopActor func chartsThatAreNeverOpenAreEnded() async throws {
        let bench = Self.bench()
        #expect(try await Self.failure(of: HostilePDF.barrenTree, on: bench, Self.describe) == .timedOut(seconds: 1))
        await bench.pool.stop()
    }

    @Test @LoopActor func memoryBombsFillOnlyTheirProcess() async throws {
        // The test measures memory, so it runs in a process of its own, where no other test uses any.
        await #expect(processExitsWith: .exitCode(0)) {
            let code = Loop.shared.run {
                do {
                    let bench = HostileTests.bench()
                    let bombs = try [HostilePDF.fontBomb, HostilePDF.hugePicture, .endless].enumerated().map {
                        try bench.chart($1.bytes, name: "bomb-\($0).pdf")
                    }
                    let good = try bench.chart(.halfBlack)
                    _ = try await bench.render(good, settings: Bench.small)
                    let before = try HostileTests.residentMemory()
                    for bomb in bombs {
                        // With the bomb, poppler may report a failure, draw the page without the font or picture, or crash.
                        _ = try? await bench.pool.render(
                            PageJob(chart: bomb, page: PageIndex(0), settings: Bench.small, outputs: [bench.output(.plain).output]))
                        guard try await bench.render(good, settings: Bench.small).images.count == 1 else { return 2 }
                    }
                    await bench.pool.stop()
                    return try HostileTests.residentMemory() < before + 16 << 20 ? 0 : 1
                } catch {
                    return 3
                }
            }
            exit(code)
        }
    }

    private static func residentMemory() throws -> Int {
        let status = String(decoding: try AtomicFile.read("/proc/self/statm", limit: 4096), as: UTF8.self)
        return (status.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * sysconf(Int32(_SC_PAGESIZE))
    }

    @Test @LoopActor func crashCostsItsJob() async throws {
        let bench = Bench { $0.width = 1 }
        _ = try await bench.pool.identity()
        let pid = try #require(bench.pool.processes.first)
        let before = Bench.computed(pid)
        let endless = try bench.chart(.endless)
        let job = spawnThrowing { try await bench.render(endless, settings: Bench.small).outcome }
        await bench.until { Bench.computed(pid) > before + .milliseconds(100) }
        kill(pid, SIGSEGV)
        let failure = await #expect(throws: RenderFailure.self) { try await job.value }
        #expect(failure?.tookTheRendererDown == true && failure?.description.contains("signal 11") == true)
        #expect(try await bench.render(bench.chart(.halfBlack, name: "good.pdf"), settings: Bench.small).images.count == 1)
        await bench.pool.stop()
    }

    @Test @LoopActor func chartsOfTooManyPagesAreRefused() async throws {
        let bench = Self.bench()
        var pdf = TestPDF()
        for _ in 0..<ChartDescription.mostPages { pdf.addPage() }
        #expect(try await bench.pool.describe(chart: bench.chart(pdf)).pages.count == 10_000)
        pdf.addPage()
        #expect(try await Self.failure(of: pdf.bytes, on: bench, Self.describe) == .tooManyPages(10_001))
        await bench.pool.stop()
    }

    @Test @LoopActor func chartsWithoutPagesOrWithPasswordsAreRefused() async throws {
        let bench = Self.bench()
        var encrypted = TestPDF.halfBlack
        encrypted.encrypt()
        for job in [Self.render, Self.describe] {
            #expect(try await Self.failure(of: encrypted.bytes, on: bench, job) == .encrypted)
            #expect(try await Self.failure(of: TestPDF().bytes, on: bench, job) == .noPages)
        }
        await bench.pool.stop()
    }

    @Test @LoopActor func pagesOfTwoHundredInchesAreDrawn() async throws {
        let bench = Self.bench()
        var pdf = TestPDF()
        pdf.addPage(width: 14400, height: 14400, "0 0 7200 14400 re f")
        let image = try await bench.render(bench.chart(pdf), settings: Bench.small).images[.plain].flatMap { PNGImage($0) }
        #expect(image?.width == Bench.small.fullSize && image?[10, 10] == 0)
        await bench.pool.stop()
    }

    /// The files are cut off, or have some bytes changed; whatever the result, the next job succeeds.
    @Test @LoopActor func brokenFilesLeaveTheRestAlone() async throws {
        let bench = Self.bench()
        let good = try bench.chart(.halfBlack)
        var random = SeededGenerator(seed: 4)
        let whole = TestPDF.halfBlack.bytes
        for round in 0..<60 {
            var bytes = whole
            switch round % 3 {
            case 0: bytes = Array(whole.prefix(Int.random(in: 0..<whole.count, using: &random)))
            case 1: for _ in 0..<20 { bytes[Int.random(in: 9..<bytes.count, using: &random)] = .random(in: 0...255, using: &random) }
            default: bytes = Array("%PDF-1.7\n".utf8) + (0..<2000).map { _ in UInt8.random(in: 0...255, using: &random) }
            }
            let chart = try bench.chart(bytes, name: "broken.pdf")
            _ = try? await bench.pool.describe(chart: chart)
            _ = try? await bench.render(chart, [.thumbnail], settings: Bench.small)
            #expect(try await bench.render(good, [.thumbnail], settings: Bench.small).images.count == 1)
        }
        await bench.pool.stop()
    }
}
