import Glibc
import Library
import Model
import Platform
import Rendering
import TestSupport
import Testing

@testable import Sync

/// A chart that opens is replaced only by another that opens.
@Suite(.onLoop)
struct SuccessionTests {
    /// Two charts, "Song a" and "Song b".
    private static let sunday = SmallService.Plan(
        id: "1", startsAt: "2026-11-22T10:00:00Z",
        charts: ["a", "b"].map { SmallService.Chart(id: $0, name: "Song \($0)", bytes: SmallService.pdf($0)) })
    private static let former = ChartHash(SHA256.digest(of: sunday.charts[1].bytes))
    private static let new = SmallService.pdf("b, corrected")
    private static let successor = ChartHash(SHA256.digest(of: new))
    private let song = AttachmentID("b")

    @LoopActor
    private final class Counter {
        var count = 0
    }

    /// Sunday's charts are here; the service then replaces the second, and the renderer fails with `failure` on the new version.
    @LoopActor private func replaced(_ failure: @escaping @LoopActor () -> RenderFailure?) async throws -> Stage {
        let stage = try Stage([Self.sunday])
        #expect(await stage.sync().isComplete)
        try await stage.countPages()
        stage.service.plans[0].charts[1].bytes = Self.new
        stage.service.plans[0].charts[1].updatedAt = "2026-11-20T10:00:00Z"
        let path = stage.library.charts.path(of: Self.successor)
        let whole = stage.renderer.describe
        stage.renderer.describe = { described in
            guard described == path, let failure = failure() else { return whole(described) }
            return .failure(failure)
        }
        return stage
    }

    @LoopActor private func fault(_ stage: Stage) throws -> String? {
        try stage.library.charts.downloadFaults().first { $0.key.attachment == song }?.value.reason
    }

    @Test(arguments: [
        RenderFailure.encrypted, .unreadable("damaged"), .noPages, .tooManyPages(20_000), .crashed("was killed"), .timedOut(seconds: 60),
        .heldUp(seconds: 120), .cannotStart("it is not there"),
    ])
    @LoopActor func whatDoesNotOpenTakesNoGoodChartsPlace(failure: RenderFailure) async throws {
        let mending = Counter()
        let stage = try await replaced { mending.count > 0 ? nil : failure }
        let good = try #require(try stage.library.charts.chart(of: song))
        let outcome = await stage.sync()
        #expect(outcome.setbacks.count == 1)
        #expect(try stage.library.charts.chart(of: song) == good)
        #expect(try stage.library.charts.hasBytes(of: good.hash))
        #expect(try fault(stage)?.contains("\(failure); the chart already here is kept") == true)
        #expect(access(stage.library.charts.path(of: Self.successor), F_OK) != 0, "nothing is left of it")

        // The file may have been damaged during the download, so it is fetched once more; after that, only when a person requests a sync.
        let opened = stage.service.opened.count
        for _ in 0..<3 { await stage.sync(PollScope(isRequested: false)) }
        #expect(stage.service.opened.count == opened + 1)
        mending.count = 1
        #expect(await stage.sync().isComplete)
        #expect(try stage.library.charts.chart(of: song)?.hash == Self.successor)
        #expect(try fault(stage) == nil)
        #expect(
            stage.renderer.described.count { $0 == stage.library.charts.path(of: Self.successor) } <= 5,
            "it is looked at each time that it comes, and once more where the renderer may be to blame")
    }

    /// A damaged page may be drawn blank. If the former chart has such pages, too, all PDFs of its maker are like that.
    @Test(arguments: [true, false]) @LoopActor func whatLostAPagesContentTakesNoGoodChartsPlace(isHabit: Bool) async throws {
        let stage = try await replaced { nil }
        let good = try #require(try stage.library.charts.chart(of: song))
        let damage = "Syntax error at position 439: Unknown compression method in flate stream"
        stage.renderer.verdict = { job in
            let isFormer = job.chart == stage.library.charts.path(of: good.hash)
            return .success(PageOutcome(warnings: job.page.value == 1 && (isHabit || !isFormer) ? [damage] : []))
        }
        let outcome = await stage.sync()
        guard !isHabit else {
            #expect(outcome.isComplete)
            #expect(try stage.library.charts.chart(of: song)?.hash == Self.successor)
            return
        }
        #expect(outcome.setbacks.count == 1)
        #expect(try stage.library.charts.chart(of: song) == good)
        let told = "page 2 of the new version is damaged: \(damage); the chart already here is kept; "
        #expect(try fault(stage) == told + "to use it anyway, run 'woodshed accept b' and 'woodshed sync'")
        stage.renderer.verdict = { _ in .success(PageOutcome()) }
        #expect(await stage.sync().isComplete)
        #expect(try stage.library.charts.chart(of: song)?.hash == Self.successor)
        #expect(try fault(stage) == nil)
    }

    @Test(arguments: [true, false]) @LoopActor func whatLacksPagesTakesNoGoodChartsPlace(byItsOwnAccount: Bool) async throws {
        let stage = try await replaced { nil }
        let good = try #require(try stage.library.charts.chart(of: song))
        let path = stage.library.charts.path(of: Self.successor)
        let whole = stage.renderer.describe
        if byItsOwnAccount {
            stage.renderer.describe = { described in
                whole(described).map { found in
                    var description = found
                    if described == path { description.statedPages = 7 }
                    return description
                }
            }
        } else {
            stage.renderer.verdict = { job in
                job.chart == path && job.page == PageIndex(1) ? .failure(.timedOut(seconds: 30)) : .success(PageOutcome())
            }
        }
        #expect(await stage.sync().setbacks.count == 1)
        let words = byItsOwnAccount ? "the new version is incomplete: the PDF says that it has 7 pages" : "page 2 of the new version cannot"
        #expect(try fault(stage)?.hasPrefix(words) == true)
        #expect(try stage.library.charts.chart(of: song) == good)
        // A musician who has looked at the page may accept it; but nobody can play from a page that cannot be drawn.
        if byItsOwnAccount {
            try Library.change(in: stage.library.folder) { library throws(LibraryError) in try library.accept(chart: song) }
        } else {
            stage.renderer.verdict = { _ in .success(PageOutcome()) }
        }
        #expect(await stage.sync().isComplete)
        #expect(try stage.library.charts.chart(of: song)?.hash == Self.successor)
    }

    /// Somebody who accepted one damaged page has not accepted damage to all pages, so a version with more damaged pages is
    /// refused.
    @Test @LoopActor func noPageGetsWorse() async throws {
        let stage = try await replaced { nil }
        let former = stage.library.charts.path(of: Self.former)
        stage.renderer.verdict = { job in
            .success(PageOutcome(warnings: job.chart != former || job.page.value == 1 ? ["Bad block header in flate stream"] : []))
        }
        #expect(await stage.sync().setbacks.count == 1)
        #expect(try fault(stage)?.hasPrefix("page 1 of the new version is damaged") == true)
        #expect(
            try Library.change(in: stage.library.folder) { library throws(LibraryError) in try library.accept(chart: song) }.contains(
                .newerVersion))
        #expect(try fault(stage) == nil, "nothing stands in its way any more")
        #expect(await stage.sync().isComplete)
    }

    @Test @LoopActor func oneMisfortuneOfTheRendererIsNoFaultOfTheChart() async throws {
        let misfortunes = Counter()
        let stage = try await replaced {
            misfortunes.count += 1
            return misfortunes.count == 1 ? .crashed("was killed") : nil
        }
        #expect(await stage.sync().isComplete)
        #expect(try stage.library.charts.chart(of: song)?.hash == Self.successor)
    }

    @Test @LoopActor func whatTakesNoGoodChartsPlaceIsKeptAsItCame() async throws {
        let stage = try Stage([Self.sunday])
        await stage.sync()
        let first = try #require(try stage.library.charts.chart(of: song))
        #expect(try stage.library.charts.description(of: first.hash) == nil, "nobody could look into it")
        // A chart that cannot be opened may be replaced by another that cannot.
        stage.service.plans[0].charts[1].bytes = Self.new
        stage.service.plans[0].charts[1].updatedAt = "2026-11-20T10:00:00Z"
        stage.renderer.describe = { _ in .failure(.encrypted) }
        await stage.sync()
        #expect(try stage.library.charts.chart(of: song)?.hash == Self.successor)
    }

    @Test @LoopActor func aPollThatEndsMeanwhileLeavesItDue() async throws {
        let stage = try await replaced { nil }
        let path = stage.library.charts.path(of: Self.successor)
        stage.renderer.hangs = { described in
            guard described == path else { return false }
            spawn { await stage.polls.end() }
            return true
        }
        await stage.sync()
        let library = try Library(readingFrom: stage.folder.path("data"))
        defer { library.close() }
        #expect(try library.charts.downloadFaults().isEmpty)
        #expect(try library.charts.chart(of: song)?.hash == Self.former)
    }
}
