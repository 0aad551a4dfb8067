import Agent
import Library
import Model
import Platform
import Rendering
import TestSupport
import Testing

@testable import Readiness
@testable import Sync

/// The reports on a chart whose new version was refused, and the effect of accepting it.
@Suite(.onLoop)
struct SuccessionTests {
    private static let successor = ChartHash(SHA256.digest(of: SmallService.pdf("b, corrected")))
    private let song = AttachmentID("b")

    /// Sunday's charts are here; the service has a new version of the second.
    @LoopActor private func replaced() async throws -> Stage {
        let stage = try Stage([.sunday])
        #expect(await stage.sync().isComplete)
        stage.service.plans[0].charts[1].bytes = SmallService.pdf("b, corrected")
        stage.service.plans[0].charts[1].updatedAt = "2026-11-20T10:00:00Z"
        return stage
    }

    @LoopActor private func lack(_ stage: Stage) async throws -> String? {
        try await stage.agent.readiness().plans[0].charts[1].lacks.compactMap {
            if case .outOfDate(let reason) = $0 { reason } else { nil }
        }.first ?? nil
    }

    @Test @LoopActor func whatLacksPagesByItsOwnAccountTakesNoGoodChartsPlace() async throws {
        let stage = try await replaced()
        let good = try #require(try stage.library.charts.chart(of: song))
        let whole = stage.renderer.describe
        stage.renderer.describe = { path in
            whole(path).map { described in
                var description = described
                if path != stage.library.charts.path(of: good.hash) { description.statedPages = 7 }
                return description
            }
        }
        #expect(await stage.sync().setbacks.count == 1)
        #expect(try stage.library.charts.chart(of: song) == good)
        #expect(try await lack(stage)?.hasPrefix("the new version is incomplete: the PDF says that it has 7 pages, but it has") == true)
        // A person accepts the new version; the chart is not ready until its faults are accepted, too.
        #expect(
            try Library.change(in: stage.library.folder) { library throws(LibraryError) in try library.accept(chart: song) }
                == .newerVersion)
        #expect(await stage.sync().isComplete)
        #expect(try stage.library.charts.chart(of: song)?.hash == Self.successor)
        #expect(try await stage.agent.readiness().plans[0].charts[1].lacks.map(\.name) == ["content-lost"])
        #expect(try Library.change(in: stage.library.folder) { library throws(LibraryError) in try library.accept(chart: song) } == .pages)
        #expect(try await stage.agent.readiness().plans[0].charts[1].lacks == [])
    }

    /// A musician who has looked at the new version may accept its lost content; later versions need to be accepted again.
    @Test @LoopActor func whatLostContentComesWhereSomebodyWantsIt() async throws {
        let stage = try await replaced()
        let good = try #require(try stage.library.charts.chart(of: song))
        let former = stage.library.charts.path(of: good.hash)
        stage.renderer.verdict = { job in
            .success(PageOutcome(warnings: job.page.value == 1 && job.chart != former ? ["Bad block header in flate stream"] : []))
        }
        #expect(await stage.sync().setbacks.count == 1)
        #expect(
            try Library.change(in: stage.library.folder) { library throws(LibraryError) in try library.accept(chart: song) }
                == .newerVersion)
        #expect(await stage.sync().isComplete)
        #expect(try stage.library.charts.chart(of: song)?.hash == Self.successor)
        // The missing content is reported until it is accepted, too.
        #expect(try await stage.agent.readiness().plans[0].charts[1].lacks.map(\.name) == ["content-lost"])

        stage.service.plans[0].charts[1].bytes = SmallService.pdf("b, corrected once more")
        stage.service.plans[0].charts[1].updatedAt = "2026-11-21T10:00:00Z"
        stage.renderer.verdict = { job in
            let isNew = job.chart == stage.library.charts.path(of: ChartHash(SHA256.digest(of: SmallService.pdf("b, corrected once more"))))
            return .success(PageOutcome(warnings: isNew ? ["Bad block header in flate stream"] : []))
        }
        #expect(await stage.sync().setbacks.count == 1)
        #expect(try stage.library.charts.chart(of: song)?.hash == Self.successor)
    }
}
