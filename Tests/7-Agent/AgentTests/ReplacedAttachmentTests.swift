import Agent
import Library
import Model
import Platform
import TestSupport
import Testing

@testable import Readiness

/// A musician's own marks when their chart is uploaded again, which makes it another attachment at the service.
@Suite(.onLoop)
struct ReplacedAttachmentTests {
    private static let dots = [MarkText.Dot(page: 0, x: 0.5)]
    private let old = AttachmentID("a")
    private let new = AttachmentID("a2")

    private func native(naming bytes: String) -> String {
        MarkText.native("", Self.dots).replacing(#""attachment_id":"""#, with: ##""chart":"\##(SHA256.digest(of: bytes).hex)""##)
    }

    /// Files that identify a chart in each way: by its link, by its bytes, by its id.
    @LoopActor private func marked() async throws -> MarkStage {
        let stage = try await MarkStage(["a", "b"])
        let link = try stage.link("a")
        try stage.music.save(MarkText.journal(stage.music.path(link), Self.dots), as: link.replacing(".pdf", with: ".xopp"))
        try stage.music.save(native(naming: SmallService.pdf("a")), as: "bytes.marks.json")
        try stage.music.save(MarkText.native("a", Self.dots + Self.dots), as: "id.marks.json")
        await stage.quiet()
        #expect(try stage.stage.library.markFiles.all(of: old).count == 3)
        return stage
    }

    @Test(arguments: [true, false]) @LoopActor func marksPassToTheChartThatIsUploadedAnew(withSameBytes: Bool) async throws {
        let stage = try await marked()
        let chart = stage.stage.service.plans[0].charts[0]
        stage.stage.service.plans[0].charts[0] = SmallService.Chart(
            id: "a2", name: chart.name, bytes: withSameBytes ? chart.bytes : SmallService.pdf("a, corrected"))
        await stage.sync()
        func files(_ attachment: AttachmentID) throws -> [LocalFile] { try stage.stage.library.markFiles.all(of: attachment) }
        #expect(try files(new).count == 3 && files(old).isEmpty)
        #expect(try await stage.stage.agent.planTable().isComplete)
        let report = try await stage.stage.agent.readiness()
        #expect(report.unseenMarks == [])
        // Marks made on other bytes are recorded as such.
        let former = ChartHash(SHA256.digest(of: chart.bytes))
        if !withSameBytes { #expect(try files(new).allSatisfy { $0.markedOn == former }) }

        // The files stay with the new chart when they are saved again, and under the next agent.
        try stage.music.save(MarkText.native("a", Self.dots), as: "id.marks.json")
        try stage.music.save(native(naming: chart.bytes) + "\n", as: "bytes.marks.json")
        await stage.quiet()
        #expect(try files(new).count == 3 && files(old).isEmpty)
        await stage.end()
        try await stage.beginAgain()
        await stage.sync()
        #expect(try files(new).count == 3 && files(old).isEmpty)
        await stage.end()
    }

    @Test @LoopActor func marksGoBackToTheChartThatTheyNameWhenItIsShownAgain() async throws {
        let stage = try await marked()
        let chart = stage.stage.service.plans[0].charts[0]
        stage.stage.service.plans[0].charts[0] = SmallService.Chart(id: "a2", name: chart.name, bytes: chart.bytes)
        await stage.sync()
        #expect(try stage.stage.library.markFiles.all(of: new).count == 3)
        stage.stage.service.plans[0].charts.append(chart)
        await stage.sync()
        #expect(try stage.stage.library.markFiles.all(of: old).map(\.path).contains(stage.music.path("id.marks.json")))
        await stage.end()
    }

    /// The marks go back however their files identify the chart, and whether or not a link to the chart was made in between.
    @Test(arguments: [true, false]) @LoopActor func marksGoBackToTheFormerChartWhenItTakesItsPlaceAgain(linked: Bool) async throws {
        let stage = try await marked()
        let chart = stage.stage.service.plans[0].charts[0]
        stage.stage.service.plans[0].charts[0] = SmallService.Chart(id: "a2", name: chart.name, bytes: SmallService.pdf("a, corrected"))
        await stage.sync()
        #expect(try stage.stage.library.markFiles.all(of: new).count == 3)
        stage.stage.service.plans[0].charts[0] = chart
        if linked { await stage.sync() } else { await stage.stage.sync() }
        #expect(try stage.stage.library.markFiles.all(of: old).count == 3)
        await stage.end()
    }

    @Test @LoopActor func marksOnOneOfTwoWithTheSameBytesPassToTheOtherAndThatIsSaid() async throws {
        let bytes = SmallService.pdf("both")
        let charts = ["a", "b"].map { SmallService.Chart(id: $0, name: "Song \($0)", bytes: bytes) }
        let stage = try await MarkStage([SmallService.Plan(id: "1", startsAt: "2026-11-22T10:00:00Z", charts: charts)])
        try stage.music.save(native(naming: bytes), as: "x.marks.json")
        await stage.quiet()
        #expect(try stage.stage.library.markFiles.all(of: old).count == 1)
        let said = try await stage.stage.agent.readiness().marksOnOthers
        #expect(said.map(\.other) == [AttachmentID("b")] && said.map(\.isShown) == [true])
        stage.stage.service.plans[0].charts.removeFirst()
        await stage.sync()
        #expect(try stage.stage.library.markFiles.all(of: AttachmentID("b")).count == 1)
        #expect(try await stage.stage.agent.readiness().unseenMarks == [])
        await stage.end()
    }
}
