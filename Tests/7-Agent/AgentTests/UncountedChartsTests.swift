import Glibc
import Library
import Model
import Platform
import Rendering
import TestSupport
import Testing

@testable import Agent
@testable import Sync

/// Pages that cannot be counted for a passing reason are counted later.
@Suite(.onLoop)
struct UncountedChartsTests {
    nonisolated private static let passing: [RenderFailure] = [
        .cannotOpen("cannot open a.pdf: Too many open files"), .cannotWrite(ENOSPC), .cannotWrite(EIO), .cannotStart("no such file"),
    ]
    private static let crash = RenderFailure.crashed("was ended by signal 11")

    /// An agent that has synced, but could not count the pages of any chart.
    @LoopActor
    private func stage(_ failure: RenderFailure) async throws -> Stage {
        let stage = try Stage([.sunday])
        stage.stay()
        stage.renderer.describe = { _ in .failure(failure) }
        await stage.sync()
        return stage
    }

    @LoopActor
    private func mend(_ stage: Stage) {
        stage.renderer.describe = { _ in .success(ChartDescription(pages: [PageGeometry(width: 612, height: 792)])) }
    }

    @LoopActor
    private func isComplete(_ stage: Stage) async throws -> Bool { try await stage.agent.planTable().isComplete }

    @Test(arguments: passing) @LoopActor func whatPassesIsToldAndTriedAgain(failure: RenderFailure) async throws {
        let stage = try await stage(failure)
        #expect(stage.renderer.described.count == 4, "once more at once")
        #expect(stage.agent.complaints == ["the pages of 2 charts could not be counted and will be tried again: \(failure)"])
        #expect(try await stage.agent.planTable().rows.map(\.state) == ["\(failure)", "\(failure)"])
        let report = stage.agent.report(version: "1", since: stage.clock.timestamp)
        #expect(report.uncounted?.count == 2)
        #expect(try stage.library.images.faults().isEmpty, "it says nothing about the charts")
        // Before the time of the next try, further checks try nothing.
        await stage.settle()
        await stage.settle()
        #expect(stage.renderer.described.count == 4)

        mend(stage)
        await stage.wait(for: .seconds(15))
        await stage.settleAsTold()
        #expect(try await isComplete(stage))
        #expect(stage.agent.complaints.isEmpty)
        await stage.agent.stop()
    }

    @Test @LoopActor func triesGrowRareAndAreLoggedOnce() async throws {
        let stage = try await stage(.cannotStart("no such file"))
        await stage.wait(for: .seconds(3600))
        #expect((10...14).contains(stage.renderer.described.count / 2), "\(stage.renderer.described.count)")
        await stage.wait(for: .seconds(3600))
        #expect((16...20).contains(stage.renderer.described.count / 2), "every ten minutes: \(stage.renderer.described.count)")
        #expect(stage.logged.count { $0.contains("could not be counted") } == 2)
        await stage.agent.stop()
        let before = stage.renderer.described.count
        await stage.wait(for: .seconds(3600))
        #expect(stage.renderer.described.count == before, "nobody tries after the end")
    }

    @Test(arguments: [true, false]) @LoopActor func pollsAndPeopleNeedNotWait(isRequested: Bool) async throws {
        let stage = try await stage(.cannotWrite(ENOSPC))
        await stage.wait(for: .seconds(3600))
        mend(stage)
        await stage.clock.run {
            _ = await stage.agent.poll(PollScope(isRequested: isRequested))
            stage.agent.reconcile()
            await stage.agent.settled()
        }
        #expect(try await isComplete(stage))
        await stage.agent.stop()
    }

    @Test @LoopActor func aSyncHasThePausesBeginAnew() async throws {
        let stage = try await stage(.cannotWrite(ENOSPC))
        await stage.wait(for: .seconds(3600))
        await stage.sync()
        await stage.settle()
        mend(stage)
        await stage.wait(for: .seconds(30))
        await stage.settleAsTold()
        #expect(try await isComplete(stage))
        await stage.agent.stop()
    }

    @Test @LoopActor func whatTakesTheRendererDownStaysLeftAlone() async throws {
        let stage = try await stage(Self.crash)
        #expect(stage.renderer.described.count == 4)
        mend(stage)
        await stage.wait(for: .seconds(7200))
        await stage.sync()
        #expect(stage.renderer.described.count == 4)
        #expect(try stage.library.images.faults().count(where: \.isFinal) == 2)
        #expect(stage.agent.complaints.isEmpty, "its own line says it")
        await stage.agent.stop()
    }

    /// A chart that no plan needs any more is not reported any more.
    @Test @LoopActor func aChartThatWasTakenOutIsForgotten() async throws {
        let stage = try await stage(.cannotWrite(ENOSPC))
        stage.service.plans[0].charts = [SmallService.Plan.sunday.charts[0]]
        await stage.sync()
        await stage.settle()
        #expect(stage.agent.complaints.count == 1 && stage.agent.complaints[0].hasPrefix("the pages of 1 chart "))
        await stage.agent.stop()
    }

    /// Without the renderer, the wanted images cannot be determined. This is reported, and tried again.
    @Test @LoopActor func aRendererThatDoesNotStartIsTriedAgainSoonAndThenEverMoreRarely() async throws {
        let stage = try Stage([.sunday])
        stage.stay()
        stage.renderer.startFailure = .cannotStart("no such file")
        await stage.sync()
        let reason = "what needs to be made could not be determined and will be tried again: \(RenderFailure.cannotStart("no such file"))"
        #expect(stage.agent.complaints == [reason])
        let before = stage.logged.count
        await stage.wait(for: .seconds(3600))
        #expect((9...13).contains(stage.logged.count - before), "\(stage.logged.count - before) tries in an hour")
        stage.renderer.startFailure = nil
        await stage.wait(for: .seconds(610))
        await stage.settleAsTold()
        #expect(try await isComplete(stage))
        #expect(stage.agent.complaints.isEmpty)
        stage.renderer.startFailure = .cannotStart("no such file")
        await stage.settle()
        stage.renderer.startFailure = nil
        await stage.wait(for: .seconds(20))
        #expect(stage.agent.complaints.isEmpty, "soon again at first")
        await stage.agent.stop()
    }

    // MARK: Room

    private static let chart = ChartHash(SHA256.digest(of: "a"))
    private static let start = Moment(nanoseconds: 1_000_000_000_000)

    private func failed(_ times: Int, free: Int = 1 << 30) -> UncountedCharts {
        var charts = UncountedCharts()
        for _ in 0..<times { _ = charts.note("full", of: Self.chart, at: Self.start, free: ByteCount(free)) }
        return charts
    }

    @Test func roomThatCameBackIsUsedAtOnce() {
        var charts = failed(9, free: 4096)
        #expect(charts.lackedRoom)
        charts.noteRoom(ByteCount(500_000), at: Self.start)
        #expect(!charts.mayTry(Self.chart, at: Self.start), "that is hardly more")
        charts.noteRoom(ByteCount(200 << 20), at: Self.start)
        #expect(charts.mayTry(Self.chart, at: Self.start))
        #expect(!charts.lackedRoom)
    }

    @Test func roomIsNoMatterOnADiskThatHadSome() {
        var charts = failed(9)
        #expect(!charts.lackedRoom)
        charts.noteRoom(ByteCount(1 << 40), at: Self.start)
        #expect(!charts.mayTry(Self.chart, at: Self.start))
    }
}
