import Agent
import Annotations
import Catalogue
import Marks
import Model
import Platform
import Readiness
import TestSupport
import Testing

@testable import Library

/// Marks that were drawn in the viewer and are erased there: nothing else takes them away, and nothing doubts it.
@Suite(.onLoop)
struct ErasedMarksTests {
    private static let charts = ["a", "b", "c", "d"]

    @LoopActor private func edit(_ body: String, on chart: String, _ layers: OwnLayers, in stage: MarkStage) async throws {
        let parts = try stage.stage.library.markFiles.parts(of: AttachmentID(chart))
        let place = OwnLayers.Chart(
            AttachmentID(chart), ChartHash(SHA256.digest(of: chart)), title: "Song \(chart)", pages: 2, parts: parts)
        if let reading = try await layers.add(Array(body.utf8), to: place).reading { stage.stage.agent.take(reading) }
    }

    @LoopActor private func drawn(_ stage: MarkStage) throws -> [Int] {
        try Self.charts.map { try stage.stage.library.drawings.visibleLayers(of: AttachmentID($0)).flatMap(\.marks).count }
    }

    /// As from restored backups, four files lose a mark within a second.
    @Test @LoopActor func oneMarkOnEachOfFourChartsIsErasedAtOnce() async throws {
        let stage = try await MarkStage(Self.charts)
        let layers = OwnLayers(
            [stage.music.path], ours: "", roots: MarkRoots([stage.music.path]), home: HomeID(in: stage.folder.path),
            side: SideThread(inline: true))
        func mark(_ id: String, _ number: Int) -> String {
            #"{"id":"\#(id)","page":0,"kind":"pen","points":[[0.\#(number),0.5]],"v":{"tab":\#(number)}}"#
        }
        for chart in Self.charts {
            try await edit("{\"marks\":[\(mark("m", 1)),\(mark("n", 2)),\(mark("o", 3))]}", on: chart, layers, in: stage)
        }
        await stage.quiet()
        #expect(try drawn(stage) == [3, 3, 3, 3])
        for chart in Self.charts {
            try await edit(#"{"deleted":[{"id":"m","v":{"tab":4}}]}"#, on: chart, layers, in: stage)
        }
        await stage.quiet()
        #expect(try drawn(stage) == [2, 2, 2, 2])
        let report = try await stage.stage.agent.readiness()
        #expect(report.isReady && report.plans.flatMap(\.charts).flatMap(\.notes).isEmpty, "\(report)")
        // Drawing goes on.
        try await edit("{\"marks\":[\(mark("p", 5))]}", on: "c", layers, in: stage)
        await stage.quiet()
        #expect(try drawn(stage) == [2, 2, 3, 2])
        await stage.end()
    }
}
