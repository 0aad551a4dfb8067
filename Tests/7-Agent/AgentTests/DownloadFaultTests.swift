import Agent
import Glibc
import Library
import Model
import PageCache
import PlanningCenter
import Platform
import TestSupport
import Testing

@testable import ImageKeeping
@testable import Marks
@testable import Readiness
@testable import Sync

/// Charts that do not come: why is told to whoever asks, also when no agent runs any more.
@Suite(.onLoop)
struct DownloadFaultTests {
    private static let address = "https://service.test/services/v2/file/a"

    private static func plan(_ chart: SmallService.Chart) -> SmallService.Plan {
        SmallService.Plan(id: "1", startsAt: "2026-11-22T10:00:00Z", charts: [chart])
    }
    private static let chart = SmallService.Chart(id: "a", name: "Grace", bytes: SmallService.pdf("grace"))

    /// What is lacking, by the library alone, and by what the running agent shows.
    @LoopActor private func lacks(_ stage: Stage) async throws -> [[ReadinessLack]] {
        let library = try Library(readingFrom: stage.folder.path("data"))
        defer { library.close() }
        let cache = try PageCache(readingFrom: stage.folder.path("cache"), side: SideThread(inline: true))
        let wants = LibraryWants(library: library, render: RenderSettings(), ahead: .seconds(28 * 86_400))
        let keeper = CacheKeeper(
            library: library, cache: cache, wants: wants, settings: CacheSettings(), time: stage.clock, log: .silent)
        let check = ReadinessCheck(
            library: library, cache: cache, wants: wants, keeper: keeper, renderer: try await stage.agent.renderer(),
            marks: MarkRoots([]))
        let plans = try library.plans.all()
        let now = stage.clock.timestamp
        let report = try await check.report(of: plans, ReadinessCheck.Circumstances(now: now, isThorough: true))
        let outlook = try await stage.agent.outlook(of: plans)
        return [report.plans[0].charts[0].lacks, outlook[0].report.charts[0].lacks]
    }

    private func because(_ lack: ReadinessLack?) -> String? {
        if case .notDownloaded(let reason) = lack { reason } else { nil }
    }

    @Test(arguments: ["500", "404", "403", "unreachable", "size", "form", "disk"])
    @LoopActor func theReasonIsKeptUntilTheChartComes(trouble: String) async throws {
        let stage = try Stage([Self.plan(Self.chart)])
        var words: String
        switch trouble {
        case "unreachable":
            stage.service.network.route(.get, Self.address) { _ throws(HTTPFailure) in throw HTTPFailure(.unreachable, "no line") }
            words = "no line"
        case "size":
            stage.service.plans[0].charts[0].size = 5000
            words = "arrived with \(stage.service.plans[0].charts[0].bytes.utf8.count) bytes, but the service says that it has 5000"
        case "form":
            stage.service.plans[0].charts[0].bytes = "<html>log in</html>"
            words = "not a PDF"
        case "disk":
            unlinkChartsFolder(stage)
            words = "charts"
        default:
            stage.service.network.route(.get, Self.address, status: Int(trouble) ?? 0, "trouble")
            words = trouble == "500" ? "500" : ""
        }
        #expect(await stage.sync().setbacks.count == 1)
        for found in try await lacks(stage) {
            #expect(found.count == 1 && because(found[0])?.contains(words) == true, "\(found)")
        }

        // A new version is another matter.
        stage.service.plans[0].charts[0].updatedAt = "2026-11-20T10:00:00Z"
        stage.service.plans[0].charts[0].size = nil
        stage.service.plans[0].charts[0].bytes = Self.chart.bytes
        let good = HTTPResponse(status: 200, body: Array(Self.chart.bytes.utf8))
        stage.service.network.route(.get, Self.address) { _ throws(HTTPFailure) in good }
        restoreChartsFolder(stage)
        #expect(await stage.sync().isComplete)
        #expect(try stage.library.charts.downloadFaults().isEmpty)
        #expect(try await lacks(stage).allSatisfy { $0.allSatisfy { because($0) == nil } })
        await stage.clock.run { await stage.agent.stop() }
    }

    /// What the service has under a chart's name is not fetched at every poll; what may be a mishap on the way is.
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

    /// The former version is here with all its images, but it is not what is wanted.
    @Test @LoopActor func aChartWhoseNewVersionDoesNotComeIsReadyForNobody() async throws {
        let stage = try Stage([Self.plan(Self.chart)])
        await stage.sync()
        #expect(try await stage.agent.planTable().rows.map(\.state) == ["ready"])
        stage.service.plans[0].charts[0].updatedAt = "2026-11-20T10:00:00Z"
        stage.service.network.route(.get, Self.address, status: 500, "trouble")
        await stage.sync()
        let lack = try await stage.agent.readiness().plans[0].charts[0].lacks.first
        let table = try await stage.agent.planTable()
        #expect(table.rows.map(\.state) == [try #require(lack).sentence])
        #expect(!table.isReady && table.isComplete)
        await stage.clock.run { await stage.agent.stop() }
    }

    /// Has nothing be written where charts are kept, also for a user who may do everything.
    @LoopActor private func unlinkChartsFolder(_ stage: Stage) {
        let folder = stage.folder.path("data/charts")
        rename(folder, folder + "-away")
        try? AtomicFile.write("in the way", to: folder)
    }

    @LoopActor private func restoreChartsFolder(_ stage: Stage) {
        let folder = stage.folder.path("data/charts")
        guard access(folder + "-away", F_OK) == 0 else { return }
        unlink(folder)
        rename(folder + "-away", folder)
    }

    /// Of files that are not asked for any more, since all before them failed alike, the same is told.
    @Test @LoopActor func whatBefellTheOthersIsToldOfTheRest() async throws {
        var plan = Self.plan(Self.chart)
        plan.charts = (0..<20).map { SmallService.Chart(id: "\($0)", name: "Song \($0)", bytes: SmallService.pdf("\($0)")) }
        let stage = try Stage([plan])
        for number in 0..<20 { stage.service.network.route(.get, "https://service.test/services/v2/file/\(number)", status: 503, "down") }
        await stage.sync()
        let faults = try stage.library.charts.downloadFaults()
        #expect(faults.count == 20 && faults.values.allSatisfy { $0.reason.contains("503") })
    }

    /// Nobody waits for downloads that were given up, and the next poll counts anew.
    @Test @LoopActor func downloadsThatWereGivenUpAreUnderWayNoMore() async throws {
        var plan = Self.plan(Self.chart)
        plan.charts = (0..<20).map { SmallService.Chart(id: "\($0)", name: "Song \($0)", bytes: SmallService.pdf("\($0)")) }
        let stage = try Stage([plan])
        for number in 0..<20 { stage.service.network.route(.get, "https://service.test/services/v2/file/\(number)", status: 503, "down") }
        var seen: [DownloadProgress] = []
        stage.agent.onProgress { seen.append($0.downloads) }
        await stage.sync()
        #expect(seen.contains { $0.charts == 20 } && !seen.contains { $0.charts == 20 && $0.done == 20 })
        #expect(seen.last == DownloadProgress())
    }

    /// A service that says another size of a file whose very bytes are here has it from somewhere that is behind, for a while.
    @Test @LoopActor func theFormerBytesAreNotTakenForANewVersionOfAnotherSize() async throws {
        let stage = try Stage([Self.plan(Self.chart)])
        await stage.sync()
        let new = SmallService.pdf("grace, in another key")
        stage.service.plans[0].charts[0].updatedAt = "2026-11-20T10:00:00Z"
        stage.service.plans[0].charts[0].size = new.utf8.count
        #expect(await stage.sync().setbacks.count == 1)
        let lack = try await stage.agent.readiness().plans[0].charts[0].lacks.first
        #expect(lack?.sentence.contains("the service says that it has \(new.utf8.count)") == true, "\(lack as Any)")
        stage.service.plans[0].charts[0].bytes = new
        #expect(await stage.sync().isComplete)
        #expect(try stage.library.charts.chart(of: AttachmentID("a"))?.hash == ChartHash(SHA256.digest(of: new)))
    }

    /// Where that stays so, it is wrong about the size.
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

        // Other bytes of another size than is said are not taken.
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
        await first.clock.run { await first.agent.stop() }
        let next = try Stage(first.service.plans, in: first.folder)
        next.clock.wallTimeAtStart = first.clock.wallTime + .seconds(seconds)
        #expect(await next.sync().isComplete == (seconds > 3600))
        await next.clock.run { await next.agent.stop() }
    }

    /// Other bytes do begin that hour anew: the service is still changing something.
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
