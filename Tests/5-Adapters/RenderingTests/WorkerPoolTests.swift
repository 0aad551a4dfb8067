import Glibc
import Model
import Platform
import Rendering
import TestSupport
import Testing

@Suite(.onLoop)
struct WorkerPoolTests {
    @Test @LoopActor func describesEveryPageAsDisplayed() async throws {
        let bench = Bench()
        var pdf = TestPDF()
        pdf.addPage()
        pdf.addPage(width: 100, height: 200, rotation: 90)
        let description = try await bench.pool.describe(chart: bench.chart(pdf))
        #expect(description == ChartDescription(pages: [PageGeometry(width: 595, height: 842), PageGeometry(width: 200, height: 100)]))
        await bench.pool.stop()
    }

    @Test @LoopActor func describesThousandsOfPages() async throws {
        let bench = Bench()
        var pdf = TestPDF()
        for page in 0..<3000 { pdf.addPage(width: 500.25 + Double(page), height: 700) }
        let description = try await bench.pool.describe(chart: bench.chart(pdf))
        #expect(description.pages.count == 3000)
        #expect(description.pages.last == PageGeometry(width: 3499.25, height: 700))
        await bench.pool.stop()
    }

    @Test @LoopActor func threeVariantsComeFromOneJob() async throws {
        let bench = Bench()
        let chart = try bench.chart(.halfBlack)
        let mark = Mark(
            id: "m", page: PageIndex(0), kind: .pen, color: Color(red: 255, green: 0, blue: 0), width: 0.1,
            points: [Mark.Point(x: 0.75, y: 0.5)])
        let marks = try #require(PageMarks(drawing: [mark]))
        let (images, outcome) = try await bench.render(chart, [.thumbnail, .annotated, .plain], marks: marks)
        #expect(outcome.warnings.isEmpty)
        for variant in Variant.allCases {
            let png = try #require(images[variant])
            let image = try #require(PNGImage(png))
            #expect(image.height == RenderSettings().size(of: variant))
            #expect(image.channels == (variant == .annotated ? 3 : 1))
            #expect(image[image.width / 4, image.height / 2] == 0)
            #expect(image[image.width * 3 / 4, image.height / 2] == (variant == .annotated ? 0xff0000 : 0xffffff))
            #expect(PNGImage.chunk("wsKY", of: png)?.prefix(64) == ArraySlice(Bench.key(variant).digest.hex.utf8))
        }
        // An image does not depend on the other outputs of its job.
        for variant in [Variant.plain, .thumbnail] {
            #expect(try await bench.render(chart, [variant]).images[variant] == images[variant])
        }
        await bench.pool.stop()
    }

    @Test @LoopActor func thumbnailLargerThanThePageIsDrawnForItself() async throws {
        let bench = Bench()
        let settings = RenderSettings(fullSize: 100, thumbnailSize: 300)
        let chart = try bench.chart(.halfBlack)
        let images = try await bench.render(chart, [.plain, .thumbnail], settings: settings).images
        #expect(images[.plain].flatMap { PNGImage($0) }?.height == 100)
        #expect(images[.thumbnail].flatMap { PNGImage($0) }?.height == 300)
        #expect(try await bench.render(chart, [.thumbnail], settings: settings).images[.thumbnail] == images[.thumbnail])
        await bench.pool.stop()
    }

    @Test @LoopActor func whatStoodInAnOutputIsReplaced() async throws {
        let bench = Bench()
        let (output, file) = try bench.output(.plain)
        try [UInt8](repeating: 1, count: 1 << 20).withUnsafeBytes { try file.write($0) }
        let job = PageJob(
            chart: try bench.chart(.halfBlack), page: PageIndex(0), settings: RenderSettings(fullSize: 50), outputs: [output])
        _ = try await bench.pool.render(job)
        let png = try AtomicFile.read(file.path, limit: 2 << 20)
        #expect(png.suffix(8) == [0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82])
        #expect(PNGImage(png) != nil)
        await bench.pool.stop()
    }

    @Test @LoopActor func chartsThatCannotBeOpenedAreReportedWithReasons() async throws {
        let bench = Bench()
        var encrypted = TestPDF.halfBlack
        encrypted.encrypt()
        let secret = try bench.chart(encrypted, name: "secret.pdf")
        let empty = try bench.chart(TestPDF(), name: "empty.pdf")
        let garbage = try bench.chart(Array("not a PDF at all".utf8), name: "garbage.pdf")
        await #expect(throws: RenderFailure.encrypted) { try await bench.pool.describe(chart: secret) }
        await #expect(throws: RenderFailure.noPages) { try await bench.pool.describe(chart: empty) }
        for chart in [garbage, "/dev/null", bench.folder.path] {
            let failure = await #expect(throws: RenderFailure.self) { try await bench.pool.describe(chart: chart) }
            #expect(failure.map { !"\($0)".isEmpty } == true)
        }
        let missing = await #expect(throws: RenderFailure.self) { try await bench.pool.describe(chart: bench.folder.path("none.pdf")) }
        #expect(missing?.isLasting == false)
        await #expect(throws: RenderFailure.noSuchPage(PageIndex(7))) {
            try await bench.render(bench.chart(.halfBlack), page: 7)
        }
        // The worker has survived all these failures.
        #expect(try await bench.pool.describe(chart: bench.chart(.halfBlack)).pages.count == 1)
        await bench.pool.stop()
    }

    @Test @LoopActor func complaintsOfTheLibraryArriveAsWarnings() async throws {
        let bench = Bench()
        var pdf = TestPDF()
        pdf.addPage("0 0 100 100 re f frobnicate")
        pdf.addPage("0 0 100 100 re f")
        let chart = try bench.chart(pdf)
        let warnings = try await bench.render(chart, page: 0).outcome.warnings
        #expect(warnings.contains { $0.contains("frobnicate") })
        // Warnings stay with their page.
        #expect(try await bench.render(chart, page: 1).outcome.warnings.isEmpty)
        await bench.pool.stop()
    }

    @Test @LoopActor func imagesThatCannotBeWrittenAreReportedWithReasons() async throws {
        let bench = Bench()
        let chart = try bench.chart(.halfBlack)
        let full = try Descriptor.open("/dev/full", O_WRONLY)
        let output = PageJob.Output(.plain, key: Bench.key(.plain), descriptor: full.number)
        let job = PageJob(chart: chart, page: PageIndex(0), settings: RenderSettings(), outputs: [output])
        let failure = await #expect(throws: RenderFailure.cannotWrite(ENOSPC)) { try await bench.pool.render(job) }
        #expect(failure?.isDiskFull == true)
        #expect(failure?.isLasting == false)
        await bench.pool.stop()
    }

    @Test @LoopActor func jobsRunSideBySideAndTheRestWait() async throws {
        let bench = Bench()
        let chart = try bench.chart(.halfBlack)
        let jobs = (0..<7).map { number in
            spawnThrowing { try await bench.render(chart, settings: RenderSettings(fullSize: 200 + number)).images[.plain] }
        }
        for (number, job) in jobs.enumerated() {
            #expect(try await job.value.flatMap { PNGImage($0) }?.height == 200 + number)
        }
        #expect(bench.pool.processes.count == 2)
        await bench.pool.stop()
    }

    @Test @LoopActor func tagIsTheWorkersOwn() async throws {
        let bench = Bench()
        #expect(try await bench.pool.identity().tag.text.hasPrefix("raster-"))
        await bench.pool.stop()
    }

    @Test @LoopActor func idleWorkersAreLetGoAndComeBack() async throws {
        let clock = HandClock()
        let bench = Bench(clock: clock) { $0.idleTime = .seconds(60) }
        _ = try await bench.pool.identity()
        let first = try #require(bench.pool.processes.first)
        let chart = try bench.chart(.halfBlack)
        clock.advance(by: .seconds(59))
        _ = try await bench.pool.describe(chart: chart)
        #expect(bench.pool.processes == [first])
        clock.advance(by: .seconds(60))
        await bench.until { bench.pool.processes.isEmpty }
        #expect(kill(first, 0) == -1 && errno == ESRCH)
        #expect(try await bench.pool.describe(chart: chart).pages.count == 1)
        let second = try #require(bench.pool.processes.first)
        // The time that the former process used does not count for the new one.
        clock.advance(by: .seconds(59))
        _ = try await bench.pool.describe(chart: chart)
        #expect(bench.pool.processes == [second])
        await bench.pool.stop()
    }

    @Test @LoopActor func childrenEndWhenThePoolStops() async throws {
        let bench = Bench()
        let chart = try bench.chart(.halfBlack)
        _ = try await bench.pool.describe(chart: chart)
        let processes = bench.pool.processes
        #expect(processes.count == 1)
        await bench.pool.stop()
        for process in processes { #expect(kill(process, 0) == -1 && errno == ESRCH) }
        await #expect(throws: RenderFailure.stopped) { try await bench.pool.describe(chart: chart) }
    }
}
