import Agent
import Glibc
import Library
import Model
import PageCache
import Platform
import Rendering
import TestSupport
import Testing

@testable import ImageKeeping

/// An image that cannot be rendered is not tried again, even in later runs, until something about it has changed.
@Suite(.onLoop)
struct PoisonTests {
    private static let bad = SmallService.Plan.sunday.charts[0].hash
    private static let crash = RenderFailure.crashed("was ended by signal 11")

    private let folder = TemporaryFolder()

    /// Starts another agent on the same folders.
    @LoopActor
    private func start(_ change: (Stage) -> Void = { _ in }) throws -> Stage {
        let stage = try Stage.sunday(in: folder)
        change(stage)
        return stage
    }

    /// Makes only the second page of the bad chart fail.
    @LoopActor
    private func failPage(_ stage: Stage, _ failure: RenderFailure) {
        let path = stage.library.charts.path(of: Self.bad)
        stage.renderer.verdict = { $0.chart == path && $0.page == PageIndex(1) ? .failure(failure) : .success(PageOutcome()) }
    }

    @LoopActor
    private func states(_ stage: Stage) async throws -> [String] { try await stage.agent.planTable().rows.map(\.state) }

    @Test(arguments: [RenderFailure.drawing("too hard"), crash, .timedOut(seconds: 60), .malformedReply("?")])
    @LoopActor func aPageThatFailsForGoodIsNotTriedInLaterRuns(failure: RenderFailure) async throws {
        let first = try start { failPage($0, failure) }
        await first.sync()
        #expect(first.newJobs().count == (failure.isLasting ? 4 : 5))
        #expect(try await states(first) == ["\(failure)", "ready"])
        await first.agent.stop()

        let second = try start()
        await second.sync()
        #expect(second.newJobs().isEmpty)
        #expect(second.agent.tally.failed == 2, "they are missing all the same")
        #expect(try await states(second) == ["\(failure)", "ready"])
    }

    /// A chart with many pages; the pages in `hanging` hang until their jobs are ended.
    @LoopActor
    private func startWithHangingPages(_ hanging: Range<Int>, of pages: Int) throws -> (stage: Stage, tried: @LoopActor () -> [PageJob]) {
        let stage = try start()
        let description = ChartDescription(pages: Array(repeating: PageGeometry(width: 612, height: 792), count: pages))
        let path = stage.describe(Self.bad, as: description)
        let isBad: @LoopActor (PageJob) -> Bool = { $0.chart == path && hanging.contains($0.page.value) }
        stage.renderer.takes = { isBad($0) ? $0.patience ?? .seconds(60) : .milliseconds(50) }
        stage.renderer.verdict = { isBad($0) ? .failure(.timedOut(seconds: 60)) : .success(PageOutcome()) }
        return (stage, { stage.renderer.started.filter(isBad) })
    }

    @Test @LoopActor func aChartOfHangingPagesCostsNextToNothing() async throws {
        let (stage, tried) = try startWithHangingPages(0..<200, of: 200)
        stage.stay()
        let start = stage.clock.now
        await stage.sync()
        #expect(stage.clock.now - start < .seconds(300), "three pages twice, on two processes")
        let doubted = stage.agent.complaints.filter { $0.contains("crashed the renderer") }
        #expect(doubted.count == 1, "\(stage.agent.complaints)")
        #expect(doubted.allSatisfy { $0.contains("'Song a.pdf'") && $0.contains("for at most 10 s") }, "\(doubted)")
        // In a whole day the chart takes less than half an hour of one process, and the other chart is complete.
        let before = tried().count
        await stage.wait(for: .seconds(86_400))
        let later = tried().dropFirst(before)
        #expect(later.count > 20 && later.count < 200 && later.allSatisfy { $0.patience == .seconds(10) }, "\(later.count)")
        #expect(try await states(stage).last == "ready")
        await stage.agent.stop()
    }

    /// Every other page of a chart may take as long as the page that hung, so all other charts come first.
    @Test @LoopActor func aChartThatHungComesAfterAllOthers() async throws {
        let (stage, _) = try startWithHangingPages(0..<1, of: 6)
        let path = stage.library.charts.path(of: Self.bad)
        let others = 40
        let other = stage.describe(
            SmallService.Plan.sunday.charts[1].hash,
            as: ChartDescription(pages: Array(repeating: PageGeometry(width: 612, height: 792), count: others)))
        stage.renderer.takes = { $0.chart == path ? .seconds(60) : .seconds(10) }
        await stage.sync()
        let jobs = stage.renderer.started
        // Each process may take one more page of the chart before the next check puts the chart last.
        let failed = try #require(jobs.firstIndex { $0.chart == path && $0.page == PageIndex(0) })
        let last = try #require(jobs.lastIndex { $0.chart == other })
        #expect(jobs.count { $0.chart == other } == others)
        #expect(jobs[(failed + 1)...last].count { $0.chart == path } <= stage.renderer.width, "\(jobs.map { $0.chart == path })")
        #expect(try await states(stage).last == "ready")
    }

    /// If a machine is busy with other work for hours, the delays prove nothing about the pages.
    @Test @LoopActor func whatIsHeldUpIsTriedAgainEverMoreRarelyAndNeverGivenUp() async throws {
        let (stage, tried) = try startWithHangingPages(0..<12, of: 12)
        let path = stage.library.charts.path(of: Self.bad)
        stage.renderer.takes = { $0.chart == path ? .seconds(60) : .milliseconds(50) }
        stage.renderer.verdict = { $0.chart == path ? .failure(.heldUp(seconds: 60)) : .success(PageOutcome()) }
        stage.stay()
        await stage.sync()
        await stage.wait(for: .seconds(6 * 3600))
        #expect(try stage.library.images.faults().isEmpty)
        #expect(tried().count > 20 && tried().count < 100, "\(tried().count)")
        #expect(tried().allSatisfy { $0.patience == nil })
        #expect(try await states(stage).last == "ready", "the other chart does not wait for it")
        stage.renderer.takes = { _ in .milliseconds(50) }
        stage.renderer.verdict = { _ in .success(PageOutcome()) }
        await stage.wait(for: .seconds(660))
        #expect(try await states(stage) == ["ready", "ready"])
        #expect(stage.agent.tally.failed == 0)
        await stage.agent.stop()
    }

    @Test(arguments: [1, 2, 6]) @LoopActor func goodPagesOfAChartWithHangingOnesAreDrawn(hanging: Int) async throws {
        let (stage, tried) = try startWithHangingPages(2..<2 + hanging, of: 30)
        stage.stay()
        await stage.sync()
        await stage.wait(for: .seconds(3600))
        let good = Set(stage.cache.present().filter { $0.folder == ImageFolder(of: Self.bad) }.map(\.page))
        #expect(good.count == 30 - hanging)
        // The first three pages are tried twice, the others once.
        let most = Dictionary(grouping: tried().map(\.page), by: \.self).values.map(\.count)
        #expect(most.count == hanging && most.max() == 2 && most.reduce(0, +) == min(hanging, 3) * 2 + max(0, hanging - 3), "\(most)")
        await stage.agent.stop()
    }

    @Test @LoopActor func fontsThatChangeMeanwhileFailNothing() async throws {
        let stage = try start { stage in
            stage.renderer.describe = { _ in
                .success(ChartDescription(pages: [PageGeometry(width: 612, height: 792)], fontsNotEmbedded: ["Helvetica"]))
            }
            var changes = 0
            stage.renderer.verdict = { _ in
                // The fonts change while the first pages are drawn.
                changes += 1
                if changes == 1 { stage.renderer.currentFonts = FontSet(SHA256.digest(of: "one font more")) }
                return .success(PageOutcome())
            }
        }
        await stage.sync()
        #expect(stage.agent.tally.failed == 0)
        #expect(try await states(stage) == ["ready", "ready"])
        let fonts = stage.renderer.currentFonts
        #expect(stage.newJobs().suffix(2).allSatisfy { $0.fonts == fonts }, "drawn again under the new fonts' names")
    }

    @Test @LoopActor func deathsAreCountedAcrossRuns() async throws {
        let first = try start { stage in
            let path = stage.library.charts.path(of: Self.bad)
            // The renderer ends before the second try.
            stage.renderer.verdict = { job in
                guard job.chart == path, job.page == PageIndex(1) else { return .success(PageOutcome()) }
                spawn { await stage.renderer.stop() }
                return .failure(Self.crash)
            }
        }
        await first.sync()
        await first.agent.stop()
        let faults = try Library(folder: folder.path("data")).images.faults()
        #expect(faults.map(\.tries) == [1, 1])
        #expect(faults.allSatisfy { !$0.isFinal })

        let second = try start { failPage($0, Self.crash) }
        await second.sync()
        #expect(second.newJobs().count { $0.chart == second.library.charts.path(of: Self.bad) && $0.page == PageIndex(1) } == 1)
        #expect(try await states(second).first == "\(Self.crash)")
    }

    @Test @LoopActor func oneDeathIsForgottenWhenThePageSucceeds() async throws {
        let stage = try start { stage in
            var deaths = 0
            stage.renderer.verdict = { _ in
                deaths += 1
                return deaths == 1 ? .failure(Self.crash) : .success(PageOutcome())
            }
        }
        await stage.sync()
        #expect(try await stage.agent.planTable().isComplete)
        #expect(try stage.library.images.faults().isEmpty)
        #expect(stage.agent.tally.failed == 0)
    }

    @Test @LoopActor func marksThatCannotBeDrawnAreNotHeldAgainstThePage() async throws {
        let stage = try start { stage in
            stage.service.layers["1"] = [SmallService.layer("l", on: "a", pages: [1])]
            let path = stage.library.charts.path(of: Self.bad)
            var deaths = 0
            stage.renderer.verdict = { job in
                if job.outputs.contains(where: { $0.variant == .annotated }) { return .failure(.drawing("too hard")) }
                guard job.chart == path, job.page == PageIndex(1) else { return .success(PageOutcome()) }
                deaths += 1
                return deaths == 1 ? .failure(Self.crash) : .success(PageOutcome())
            }
        }
        await stage.sync()
        #expect(stage.cache.present().count == 8, "one death proves nothing")
        #expect(try stage.library.images.faults().map(\.image?.variant) == [.annotated])
    }

    @Test @LoopActor func anotherRendererTriesAgain() async throws {
        let first = try start { failPage($0, Self.crash) }
        await first.sync()
        await first.agent.stop()

        let second = try start { $0.renderer.currentTag = RendererTag("newer") }
        await second.sync()
        #expect(try await second.agent.planTable().isComplete)
        #expect(try second.library.images.faults().isEmpty, "what the former one failed at is of no use any more")
    }

    @Test @LoopActor func whatIsForgottenInTheLibraryIsTriedAgainByARunningAgent() async throws {
        let stage = try start { failPage($0, .drawing("too hard")) }
        await stage.sync()
        _ = stage.newJobs()
        stage.renderer.verdict = { _ in .success(PageOutcome()) }
        await stage.settle()
        #expect(stage.newJobs().isEmpty)

        try Library.change(in: stage.library.folder) { library throws(LibraryError) in
            try library.images.remove(try stage.library.images.faults())
        }
        await stage.settle()
        #expect(stage.newJobs().count == 1)
        #expect(try await stage.agent.planTable().isComplete)
    }

    @Test @LoopActor func anImageThatCameByAnotherWayClearsItsEntry() async throws {
        let stage = try start { failPage($0, .drawing("too hard")) }
        await stage.sync()
        for fault in try stage.library.images.faults() {
            let name = try #require(fault.image)
            let file = try stage.cache.begin(name)
            let donor = try #require(stage.cache.present().first { $0.variant == name.variant })
            try AtomicFile.read(stage.cache.path(of: donor), limit: 1 << 20).withUnsafeBytes { try file.write($0) }
            try stage.cache.publish(file, as: name)
        }
        await stage.settle()
        #expect(try stage.library.images.faults().isEmpty)
    }

    @Test(arguments: [RenderFailure.drawing("its marks are odd"), crash])
    @LoopActor func marksThatCannotBeDrawnCostNothingButTheirImage(failure: RenderFailure) async throws {
        let first = try start { stage in
            stage.service.layers["1"] = [SmallService.layer("l", on: "a", pages: [0])]
            stage.renderer.verdict = { $0.marks != nil ? .failure(failure) : .success(PageOutcome()) }
        }
        await first.sync()
        let faults = try first.library.images.faults()
        #expect(faults.map { $0.image?.variant } == [.annotated])
        #expect(faults.map(\.tries) == [failure.isLasting ? 1 : 2])
        #expect(first.cache.present().count == 8)
        #expect(first.newJobs().count { $0.marks != nil } == 2)
        await first.agent.stop()

        // Other marks make another image, which is tried; the former image is no longer needed.
        let second = try start { $0.service.layers["1"] = [SmallService.layer("l", on: "a", pages: [0], x: 0.25, revision: 2)] }
        await second.sync()
        #expect(second.newJobs().map { $0.outputs.map(\.variant) } == [[.annotated]])
        #expect(try await second.agent.planTable().isComplete)
        #expect(try second.library.images.faults().isEmpty)
    }

    @Test @LoopActor func marksOnAPageThatCannotBeDrawnAreNotTriedAlone() async throws {
        let stage = try start { stage in
            stage.service.layers["1"] = [SmallService.layer("l", on: "a", pages: [1])]
            failPage(stage, Self.crash)
        }
        await stage.sync()
        let path = stage.library.charts.path(of: Self.bad)
        let tried = stage.newJobs().filter { $0.chart == path && $0.page == PageIndex(1) }
        #expect(tried.map { $0.outputs.map(\.variant) } == [[.plain, .annotated, .thumbnail], [.plain, .thumbnail]])
    }

    @Test(arguments: [RenderFailure.cannotWrite(ENOSPC), .cannotStart("no such file"), .cannotOpen("denied"), .stopped, .cancelled])
    @LoopActor func whatDoesNotLieInThePageNeverCounts(failure: RenderFailure) async throws {
        let stage = try start { $0.renderer.verdict = { _ in .failure(failure) } }
        await stage.sync()
        for _ in 0..<3 { await stage.settle() }
        #expect(try stage.library.images.faults().isEmpty)
        stage.renderer.verdict = { _ in .success(PageOutcome()) }
        await stage.wait(for: CacheKeeper.fullLasts)
        await stage.settle()
        #expect(try await stage.agent.planTable().isComplete)
    }

    @Test @LoopActor func aChartWhoseDescriptionTakesTheRendererDownIsLeftAloneInLaterRuns() async throws {
        let first = try start { stage in
            let path = stage.library.charts.path(of: Self.bad)
            let whole = stage.renderer.describe
            stage.renderer.describe = { $0 == path ? .failure(Self.crash) : whole($0) }
        }
        await first.sync()
        #expect(first.renderer.described.count { $0 == first.library.charts.path(of: Self.bad) } == 2)
        await first.agent.stop()

        let second = try start()
        await second.sync()
        #expect(second.renderer.described.isEmpty)
        #expect(try await states(second) == ["\(Self.crash)", "ready"])
        await second.agent.stop()

        let third = try start { $0.renderer.currentTag = RendererTag("newer") }
        await third.sync()
        #expect(try await third.agent.planTable().isComplete)
        #expect(try third.library.images.faults().isEmpty)
    }

    @Test @LoopActor func aNarrowScopeForgetsNothingOfOtherPlans() async throws {
        let first = try start { stage in
            stage.service.layers["1"] = [SmallService.layer("l", on: "a", pages: [0])]
            stage.renderer.verdict = { $0.marks != nil ? .failure(.drawing("odd")) : .success(PageOutcome()) }
        }
        await first.sync()
        await first.agent.stop()
        let second = try Stage([.sunday], in: folder, settings: AgentSettings(scope: .chart(AttachmentID("b"))))
        await second.sync()
        #expect(try second.library.images.faults().count == 1)
    }
}

/// Images of a chart whose fonts are not embedded depend on the machine's fonts.
@Suite(.onLoop)
struct FontTests {
    @Test @LoopActor func anInstalledFontMakesOnlyThosePagesAgainThatNeedOne() async throws {
        let charts = ["a", "b", "c"].map { SmallService.Chart(id: $0, name: "Song \($0)", bytes: SmallService.pdf($0)) }
        let stage = try Stage([SmallService.Plan(id: "1", startsAt: "2026-11-22T10:00:00Z", charts: charts)])
        let (bare, endless) = (
            stage.library.charts.path(of: ChartHash(SHA256.digest(of: charts[0].bytes))),
            stage.library.charts.path(of: ChartHash(SHA256.digest(of: charts[1].bytes)))
        )
        stage.renderer.describe = { path in
            .success(
                ChartDescription(
                    pages: [PageGeometry(width: 612, height: 792)],
                    fontsNotEmbedded: path == bare ? ["Helvetica"] : path == endless ? nil : []
                ))
        }
        await stage.sync()
        _ = stage.newJobs()
        stage.renderer.currentFonts = FontSet(SHA256.digest(of: "one more"))
        await stage.settle()
        #expect(Set(stage.newJobs().map(\.chart)) == [bare, endless])
        #expect(try await stage.agent.planTable().isComplete)
    }
}
