import Following
import Foundation
import JSON
import Library
import Model
import Platform
import Readiness
import Rendering
import TestSupport
import Testing

@testable import Host
@testable import Viewer

extension AgentViewingTests {
    @Test @LoopActor func whatIsDrawnIsKeptInTheChartsOwnFile() async throws {
        let scene = try await Scene()
        func mark(on page: Int) -> [UInt8] {
            Array(#"{"marks":[{"id":"m","page":\#(page),"kind":"pen","points":[[0,0]],"v":{"d":1}}]}"#.utf8)
        }
        let answer = try await scene.source.keepInk(mark(on: 1), of: scene.chart)
        #expect(try await scene.source.ink(of: scene.chart) == answer)
        let names = try Folder.names(in: scene.folder.path("data/annotations"))
        #expect(names.count == 1 && names[0].hasPrefix("Grace "))
        let beyond = await #expect(throws: Trouble.self) { try await scene.source.keepInk(mark(on: 2), of: scene.chart) }
        #expect(beyond?.kind == .senseless(because: "m"))
        await #expect(throws: Trouble.unknownChart) { try await scene.source.ink(of: AttachmentID("none")) }
        await scene.end()
    }

    /// A tablet may have drawn on the former version, which had more pages. Whatever is not sure is put where a person wants it, by an edit.
    @Test @LoopActor func marksOfAFormerVersionFollowAndAreEditedWhereAPersonPutsThem() async throws {
        let scene = try await Scene()
        let former = try #require(try scene.library.charts.chart(of: scene.chart)).hash
        func mark(_ id: String, on page: Int) throws -> String {
            let point = Mark.Point(x: id == "m" ? 0.4 : 0.5, y: 0.5)
            var mark = Mark(id: id, page: PageIndex(page), kind: .pen, width: 0.01, points: [point])
            (mark.on, mark.unknown["v"]) = (former.beginning, .object(["d": .number(1)]))
            return String(decoding: try JSONWriter.encode(mark), as: UTF8.self)
        }
        scene.renderer.follows = { job in
            .success(job.marks.enumerated().map { number, mark in Following.Moved(mark: mark, confidence: number == 0 ? 1 : 0.5) })
        }
        let hash = try await scene.replaceChart(differingOn: [0, 1])
        let marks = try [mark("m", on: 0), mark("n", on: 0), mark("o", on: 7)].joined(separator: ",")
        _ = try await scene.source.keepInk(Array(#"{"marks":[\#(marks)]}"#.utf8), of: scene.chart)
        await scene.settle()
        let open = try #require(try scene.library.olderMarks.movedMarks(on: scene.chart, of: hash)).open
        #expect(open.map(\.mark.id) == ["n", "o"])
        try await scene.source.place("n", of: open[0].layer, on: scene.chart, of: hash, at: (PageIndex(1), 0.2, 0.3))
        try await scene.source.place("o", of: open[0].layer, on: scene.chart, of: hash, at: nil)
        await scene.settle()
        let kept = try scene.library.markFiles.all(of: scene.chart).flatMap { $0.content?.marks ?? [] }
        #expect(kept.map { "\($0.id) \($0.page.value)" } == ["m 0", "n 1", "o 7"])
        #expect(kept.map(\.on) == [former.beginning, hash.beginning, former.beginning])
        #expect(try scene.library.olderMarks.movedMarks(on: scene.chart, of: hash)?.open == [])
        let ink = String(decoding: try await scene.source.ink(of: scene.chart), as: UTF8.self)
        #expect(ink.contains(#""deleted":[{"id":"o""#), "a mark that is left out is not shown")
        #expect(ink.contains(#""chart":"\#(hash.beginning)""#), "the chart of the marks’ coordinates")
        await scene.end()
    }

    /// After an event about new images, a browser removes its own ink. The event must not come before the images show that ink, and must
    /// also come if the layer is hidden.
    @Test @LoopActor func imagesAreToldWithExactlyTheStateOfTheLayerThatTheyShow() async throws {
        let scene = try await Scene()
        func keep(_ edits: String) async throws -> String {
            try ink(of: try await scene.source.keepInk(Array(edits.utf8), of: scene.chart))
        }
        func told() async throws -> (chart: ViewerChart, ink: String, images: [ImageName]) {
            let chart = try await scene.source.chart(scene.chart, in: scene.plan, item: nil)
            return (chart, try ink(of: Array(chart.json.line.utf8)), chart.pages.map(\.annotated.name))
        }
        let before = try await told()
        scene.listen()
        await scene.wait(for: .seconds(2))
        var states = [before.ink]
        var images = before.images
        func mark(_ id: String) -> String {
            #"{"marks":[{"id":"\#(id)","page":1,"kind":"pen","points":[[0,0]],"v":{"d":1}}]}"#
        }
        for (edits, isSeen) in [
            (mark("m"), true), (#"{"deleted":[{"id":"m","v":{"d":2}}]}"#, true), (mark("n"), true), (mark("o"), false),
        ] {
            let kept = try await keep(edits)
            let meanwhile = try await told()
            #expect(meanwhile.ink == states.last && meanwhile.images == images, "the library has not read it")
            scene.news = []
            await scene.settle()
            let after = try await told()
            #expect(after.ink == kept && !states.contains(kept) && (after.images != images) == isSeen)
            let news = scene.news.compactMap { news -> String? in
                switch news {
                case .page: "page"
                case .ink(scene.chart, after.chart.ink, after.images): "ink"
                default: nil
                }
            }
            #expect(news == (isSeen ? ["page", "ink"] : ["ink"]), "\(scene.news)")
            states.append(kept)
            images = after.images
            let layer = after.chart.layers.first { $0.id != scene.layer }?.id
            // Hide the layer before the last round.
            guard states.count == 4, let layer else { continue }
            try await scene.source.setLayer(layer, isVisible: false, of: scene.chart)
            await scene.settle()
            images = try await told().images
        }
        await scene.end()
    }

    private func ink(of answer: [UInt8]) throws -> String {
        let json = try JSONSerialization.jsonObject(with: Data(answer)) as? [String: Any]
        let states = try #require(json?["ink"] as? [String: Int])
        return JSONText.object(states.sorted { $0.key < $1.key }.map { ($0.key, .integer($0.value)) }).line
    }
}
