import Agent
import ImageKeeping
import Library
import Marks
import Model
import Platform
import TestSupport
import Testing

/// Charts of plans that are long over are removed, but not before every existing mark file has been read.
@Suite(.onLoop)
struct TidyingTests {
    private static let chart = Season.chart("a")
    private static let hash = ChartHash(SHA256.digest(of: Array(chart.bytes.utf8)))

    /// A library whose only plan is over. Each month the service is polled, and charts without a use are removed.
    @LoopActor private func stage(_ folder: TemporaryFolder) async throws -> Stage {
        try Folder.create(folder.path("marks"))
        let settings = AgentSettings(
            marks: MarkSettings(roots: MarkRoots([folder.path("marks")])),
            tidying: TidySettings(music: folder.path("music"), keptAfter: .seconds(30 * 86_400)))
        let plan = SmallService.Plan(id: "1", startsAt: "2026-11-22T10:00:00Z", charts: [Self.chart])
        let stage = try Stage([plan], in: folder, settings: settings)
        stage.service.saysTime = true
        stage.stay()
        await stage.sync()
        return stage
    }

    @LoopActor private func aMonthLater(_ stage: Stage) async {
        stage.clock.wallTimeAtStart += .seconds(40 * 86_400)
        await stage.sync()
    }

    @LoopActor private func isHere(_ stage: Stage) throws -> Bool { try stage.library.charts.hasBytes(of: Self.hash) }

    @Test @LoopActor func aMarkFileThatWasNotReadYetKeepsItsChart() async throws {
        let unmarked = try await stage(TemporaryFolder())
        var months = 0
        while try isHere(unmarked) {
            await aMonthLater(unmarked)
            months += 1
            try #require(months < 20, "it is kept for ever")
        }
        let folder = TemporaryFolder()
        let marked = try await stage(folder)
        for _ in 1..<months { await aMonthLater(marked) }
        #expect(try isHere(marked))
        await save(folder.path("marks/late.marks.json"), whilePolling: marked)
        #expect(try isHere(marked))
        for _ in 0..<3 { await aMonthLater(marked) }
        #expect(try isHere(marked))
    }

    /// Polls after forty days, and saves marks for the chart again and again until the poll has ended.
    @LoopActor private func save(_ path: String, whilePolling stage: Stage) async {
        stage.clock.wallTimeAtStart += .seconds(40 * 86_400)
        let mark = ##"{"id":"1","page":0,"kind":"pen","color":"#00ff00","width":0.02,"points":[[0,0],[1,1]]}"##
        await stage.play {
            let writing = spawn {
                while !Task.isCancelled {
                    try? AtomicFile.write(#"{"attachment_id":"a","marks":[\#(mark)]}"#, to: path)
                    stage.events.send(.written(path))
                    try? await stage.clock.sleep(for: .milliseconds(20))
                }
            }
            _ = await stage.agent.poll()
            writing.cancel()
            await stage.agent.settled()
        }
    }
}
