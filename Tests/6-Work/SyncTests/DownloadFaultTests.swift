import Glibc
import Library
import Model
import PlanningCenter
import Platform
import TestSupport
import Testing

@testable import Sync

/// Charts that cannot be downloaded: which are requested again, when, and which bytes are accepted.
@Suite(.onLoop)
struct DownloadFaultTests {
    private static let address = "https://service.test/services/v2/file/a"

    private static let chart = SmallService.Chart(id: "a", name: "Grace", bytes: SmallService.pdf("grace"))

    private static func plan(_ chart: SmallService.Chart) -> SmallService.Plan {
        SmallService.Plan(id: "1", startsAt: "2026-11-22T10:00:00Z", charts: [chart])
    }

    /// A file of another kind under a chart's name is not fetched at every poll; bytes that may have been damaged on the way are.
    @Test(arguments: [("PK\u{3}\u{4} a score", 1), ("GIF89a", 1), ("MThd", 1), ("<html>log in</html>", 3), ("", 3), ("{}", 3)])
    @LoopActor func aFileThatIsNoPDFIsFetchedOnceMoreAndThenWaits(bytes: String, more: Int) async throws {
        let stage = try Stage([Self.plan(Self.chart)])
        stage.service.plans[0].charts[0].bytes = bytes
        #expect(await stage.sync().setbacks.count == 1)
        for _ in 0..<3 { #expect(await stage.sync(PollScope(isRequested: false)).setbacks.count == 1) }
        #expect(stage.service.opened.count == 1 + more)
        stage.service.plans[0].charts[0].bytes = Self.chart.bytes
        await stage.wait(for: .seconds(3600))
        #expect(await stage.sync(PollScope(isRequested: false)).isComplete)
    }

    @Test(arguments: ["500", "404", "403", "unreachable", "size", "form", "cut", "disk"])
    @LoopActor func theReasonIsKeptUntilTheChartComes(trouble: String) async throws {
        let stage = try Stage([Self.plan(Self.chart)])
        let charts = stage.folder.path("data/charts")
        var words = trouble
        switch trouble {
        case "unreachable":
            stage.service.network.route(.get, Self.address) { _ throws(HTTPFailure) in
                throw HTTPFailure(.unreachable, trouble)
            }
        case "size":
            stage.service.plans[0].charts[0].size = 5000
            words = "arrived with \(Self.chart.bytes.utf8.count) bytes, but the service says that it has 5000"
        case "form":
            stage.service.plans[0].charts[0].bytes = "<html>log in</html>"
            words = "not a PDF"
        case "cut":
            // For files made on demand, the service states no size.
            stage.service.plans[0].charts[0].size = 0
            stage.service.plans[0].charts[0].bytes = "%PDF-1.7\ncut o"
            words = "cut off"
        case "disk":
            // With a file in place of the folder, not even root can write there.
            rename(charts, charts + "-away")
            try AtomicFile.write("in the way", to: charts)
            words = "data/charts"
        default:
            stage.service.network.route(.get, Self.address, status: Int(trouble) ?? 0, "trouble")
            words = trouble == "500" ? "500" : ""
        }
        #expect(await stage.sync().setbacks.count == 1)
        let library = try Library(readingFrom: stage.folder.path("data"))
        defer { library.close() }
        let reasons = try library.charts.downloadFaults().values.map(\.reason)
        #expect(reasons.count == 1 && reasons[0].contains(words), "\(reasons)")

        // A new version is requested again.
        stage.service.plans[0].charts[0] = Self.chart
        stage.service.plans[0].charts[0].updatedAt = "2026-11-20T10:00:00Z"
        let good = HTTPResponse(status: 200, body: Array(Self.chart.bytes.utf8))
        stage.service.network.route(.get, Self.address) { _ throws(HTTPFailure) in good }
        if trouble == "disk" {
            unlink(charts)
            rename(charts + "-away", charts)
        }
        #expect(await stage.sync().isComplete)
        #expect(try library.charts.downloadFaults().isEmpty)
    }

    /// When several files fail alike, the rest are not requested: their reason states that, and repeats the message of a failed file.
    @Test @LoopActor func whatBefellTheOthersIsToldOfTheRest() async throws {
        var plan = Self.plan(Self.chart)
        plan.charts = (0..<20).map { SmallService.Chart(id: "\($0)", name: "Song \($0)", bytes: SmallService.pdf("\($0)")) }
        let stage = try Stage([plan])
        for number in 0..<20 { stage.service.network.route(.get, "https://service.test/services/v2/file/\(number)", status: 503, "down") }
        await stage.sync()
        let faults = try stage.library.charts.downloadFaults()
        #expect(faults.count == 20 && faults.values.allSatisfy { $0.reason.contains("503") })
        let untried = faults.values.filter { $0.reason.hasPrefix("not tried, since another one failed: ") }
        #expect(untried.count > 10 && untried.count < 20)
    }

    /// Abandoned downloads no longer count as under way, and the next poll counts from zero.
    @Test @LoopActor func downloadsThatWereGivenUpAreUnderWayNoMore() async throws {
        var plan = Self.plan(Self.chart)
        plan.charts = (0..<20).map { SmallService.Chart(id: "\($0)", name: "Song \($0)", bytes: SmallService.pdf("\($0)")) }
        let stage = try Stage([plan])
        for number in 0..<20 { stage.service.network.route(.get, "https://service.test/services/v2/file/\(number)", status: 503, "down") }
        var seen: [DownloadProgress] = []
        stage.onDownloads = { seen.append($0) }
        await stage.sync()
        #expect(seen.contains { $0.charts == 20 } && !seen.contains { $0.charts == 20 && $0.done == 20 })
        #expect(seen.last == DownloadProgress())
    }

    /// If the service states a new size but sends the bytes that are here already, its files are assumed to lag behind for a while.
    @Test @LoopActor func theFormerBytesAreNotTakenForANewVersionOfAnotherSize() async throws {
        let stage = try Stage([Self.plan(Self.chart)])
        await stage.sync()
        let new = SmallService.pdf("grace, in another key")
        stage.service.plans[0].charts[0].updatedAt = "2026-11-20T10:00:00Z"
        stage.service.plans[0].charts[0].size = new.utf8.count
        #expect(await stage.sync().setbacks.count == 1)
        let reason = try stage.library.charts.downloadFaults().values.first?.reason
        #expect(reason?.contains("the service says that it has \(new.utf8.count)") == true, "\(reason as Any)")
        stage.service.plans[0].charts[0].bytes = new
        #expect(await stage.sync().isComplete)
        #expect(try stage.library.charts.chart(of: AttachmentID("a"))?.hash == ChartHash(SHA256.digest(of: new)))
    }

    /// If the service still states another size than the file has after an hour, the stated size is wrong, and the bytes that are
    /// here are accepted.
    @Test @LoopActor func bytesThatAreHereAlreadyAreTakenAfterAnHourWhateverTheirSizeIsSaidToBe() async throws {
        let stage = try Stage([Self.plan(Self.chart)])
        await stage.sync()
        stage.service.plans[0].charts[0].size = 5000
        #expect(await stage.sync().setbacks.count == 1)
        await stage.wait(for: .seconds(3590))
        #expect(await stage.sync().setbacks.count == 1)
        await stage.wait(for: .seconds(20))
        #expect(await stage.sync().isComplete)
        let opened = stage.service.opened.count
        #expect(await stage.sync().isComplete)
        #expect(stage.service.opened.count == opened, "it is not fetched again")

        // New bytes are not accepted if their size differs from the stated one.
        stage.service.plans[0].charts[0].bytes = SmallService.pdf("peace")
        stage.service.plans[0].charts[0].size = 6000
        #expect(await stage.sync().setbacks.count == 1)
        #expect(try stage.library.charts.chart(of: AttachmentID("a"))?.hash == ChartHash(SHA256.digest(of: Self.chart.bytes)))
    }

    @Test(arguments: [3500, 3700]) @LoopActor func thatHourGoesOnWithTheNextAgent(seconds: Int) async throws {
        let first = try Stage([Self.plan(Self.chart)])
        await first.sync()
        first.service.plans[0].charts[0].size = 5000
        await first.sync()
        // As if the first agent had reported the fault in other words.
        let charts = first.library.charts
        let attachment = try #require(try first.library.plans.all().first?.attachments.first)
        let (since, sizes) = try #require(try charts.downloadFaults()[attachment.use].map { ($0.since, $0.sizes) })
        try charts.note(downloadFault: "something else", of: attachment, at: since)
        try charts.note(downloadFault: "its size is wrong", sizes: sizes, of: attachment, at: since)
        try await first.stop()
        let next = try Stage(first.service.plans, in: first.folder)
        next.clock.wallTimeAtStart = first.clock.wallTime + .seconds(seconds)
        #expect(await next.sync().isComplete == (seconds > 3600))
    }

    /// The hour after which a file is accepted in spite of its stated size starts again only if other bytes arrive, because then
    /// the service is still changing something.
    @Test(arguments: [true, false]) @LoopActor func thatHourGoesOnWhateverElseGoesWrongMeanwhile(areOtherBytes: Bool) async throws {
        let stage = try Stage([Self.plan(Self.chart)])
        await stage.sync()
        stage.service.plans[0].charts[0].size = 5000
        await stage.sync()
        await stage.wait(for: .seconds(1800))
        if areOtherBytes {
            stage.service.plans[0].charts[0].bytes = SmallService.pdf("peace")
        } else {
            stage.service.network.intercept = { $0.url == Self.address ? HTTPFailure(.unreachable, "no line") : nil }
        }
        #expect(await stage.sync().setbacks.count == 1)
        stage.service.plans[0].charts[0].bytes = Self.chart.bytes
        stage.service.network.intercept = nil
        await stage.wait(for: .seconds(1790))
        #expect(await stage.sync().setbacks.count == 1)
        await stage.wait(for: .seconds(20))
        #expect(await stage.sync().isComplete != areOtherBytes)
    }
}
