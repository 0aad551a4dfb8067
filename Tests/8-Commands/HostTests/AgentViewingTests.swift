import JSON
import Readiness
import Agent
import Catalogue
import Following
import Foundation
import Library
import Marks
import Model
import PageCache
import PlanningCenter
import Platform
import Rendering
import TestSupport
import Testing

@testable import Host
@testable import ImageKeeping
@testable import Viewer

/// The plans of a real agent as the viewer shows them, with a simulated clock and renderer.
@Suite(.onLoop)
struct AgentViewingTests {
    @Test @LoopActor func plansAreToldWithWhatIsHereAndWhatIsNot() async throws {
        let scene = try await Scene()
        let state = try await scene.source.state()
        #expect(state.plans.map(\.outlook.report.plan.id) == [scene.plan])
        let shown = state.plans[0].listed
        #expect(shown.contains(#""ready":"partly","pages":4,"pagesReady":4,"charts":3"#), "\(shown)")

        let plan = try await scene.source.plan(scene.plan)
        let items = try items(of: plan)
        #expect(items.map { $0["kind"] as? String } == ["song", "header", "song", "song"])
        #expect(
            items[0]["notes"] as? [String] == ["Slow", "Twice"] && items[0]["length"] as? Int == 240 && items[0]["key"] as? String == "D")
        let charts = items.flatMap { $0["charts"] as? [NSDictionary] ?? [] }
        #expect(charts.map { $0["state"] as? String } == ["ready", "ready", "missing"])
        #expect(charts.map { $0["name"] as? String } == ["Chart a", "Chart b", "Chart c"])
        #expect(charts[0]["order"] as? [Int] == [1, 0])
        let thumbnails = charts[0]["thumbnails"] as? [NSDictionary] ?? []
        #expect(thumbnails.count == 2 && thumbnails.allSatisfy { $0["here"] as? Bool == true })
        #expect(charts[2]["reason"] as? String == "Not downloaded." && charts[2]["pages"] is NSNull)
        await #expect(throws: Trouble.self) { try await scene.source.plan(PlanID("2")) }
        await scene.end()
    }

    @Test @LoopActor func aPlanThatIsHeldBackNamesTheChartsThatAreOthers() async throws {
        let scene = try await Scene()
        try scene.replaceAllButTheFirst()
        let json = try JSONSerialization.jsonObject(with: Data(try await scene.source.plan(scene.plan).contents.line.utf8)) as? NSDictionary
        let held = try #require(json?["held"] as? NSDictionary)
        #expect(held["charts"] as? Int == 3 && held["chartsKept"] as? Int == 3)
        #expect(held["gone"] as? [String] == ["Chart b", "Chart c"] && held["new"] as? [String] == ["Chart x", "Chart y"])
        await scene.end()
    }

    @Test @LoopActor func chartsOfAPlanThatIsOverAreToldAndShown() async throws {
        let scene = try await Scene()
        #expect(try await scene.source.others().charts == [])
        await scene.wait(for: .seconds(9 * 86_400))
        #expect(try await scene.source.state().plans == [])
        #expect(try await scene.source.others().charts.map(\.item.title) == ["Grace", "River"], "the third never came")
        #expect(try await scene.source.chart(scene.chart, in: nil, item: nil).pages.count == 2)
        await scene.end()
    }

    @Test @LoopActor func aChartIsToldWithItsNeighboursThatCanBeShown() async throws {
        let scene = try await Scene()
        let chart = try await scene.source.chart(scene.chart, in: scene.plan, item: nil)
        #expect(chart.item.title == "Grace" && chart.previous == nil && chart.next?.title == "River")
        #expect(chart.pages.map(\.isMarked) == [true, false])
        #expect(chart.pages[1].annotated == chart.pages[1].plain && chart.pages.allSatisfy(\.annotated.isHere))
        #expect(chart.layers == [ViewerLayer(id: scene.layer, name: "Bowings", person: "Ann", isVisible: true, pages: [PageIndex(0)])])
        // The next chart has not been downloaded.
        #expect(try await scene.source.chart(AttachmentID("b"), in: scene.plan, item: nil).next == nil)
        await scene.end()
    }

    /// Ann's marks on both pages of a chart that was then replaced; only the second page looks different.
    @LoopActor private func sceneOfOlderMarks() async throws -> (Scene, hash: ChartHash) {
        let scene = try await Scene()
        try scene.mark([0, 1])
        await scene.settle()
        _ = try await scene.source.chart(scene.chart, in: scene.plan, item: nil)
        scene.listen()
        await scene.wait(for: .seconds(2))
        scene.news = []
        return (scene, try await scene.replaceChart())
    }

    @LoopActor private func older(_ scene: Scene) async throws -> (layers: [[PageIndex]], plan: NSDictionary?) {
        let layers = try await scene.source.read(scene.chart, in: scene.plan, item: nil).layers
        let charts = try items(of: try await scene.source.plan(scene.plan)).flatMap { $0["charts"] as? [NSDictionary] ?? [] }
        #expect(!"\(charts[0]["flags"] ?? "")".contains("accept"), "a tablet knows no commands")
        return (layers.map(\.olderPages), charts[0]["older"] as? NSDictionary)
    }

    @Test @LoopActor func marksOfAnotherVersionAreToldUntilSomebodySaysThatTheyAreRight() async throws {
        let (scene, hash) = try await sceneOfOlderMarks()
        var told = try await older(scene)
        #expect(told.layers == [[PageIndex(1)]] && told.plan == ["of": hash.description, "pages": [1]])
        #expect(scene.news.contains { if case .chart(scene.chart, _) = $0 { true } else { false } }, "\(scene.news)")

        scene.news = []
        let gone = await #expect(throws: Trouble.self) {
            try await scene.source.settleOlderMarks(on: scene.chart, of: ChartHash(SHA256.digest(of: "before")), .right)
        }
        #expect(gone?.kind == .gone)
        #expect(try await older(scene).layers == [[PageIndex(1)]], "nobody has seen those marks on this version")
        try await scene.source.settleOlderMarks(on: scene.chart, of: hash, .right)
        await scene.settle()
        told = try await older(scene)
        #expect(told.layers == [[]] && told.plan == nil)
        #expect(try await scene.source.read(scene.chart, in: nil, item: nil).layers.map(\.isVisible) == [true])
        #expect(scene.news.contains { if case .chart(scene.chart, _) = $0 { true } else { false } }, "other screens hear of it")
        await scene.end()
    }

    /// One of two marks is sure of its place; the other one is listed until somebody puts it down.
    @Test @LoopActor func marksThatFollowedTheMusicAreCountedAndTheOthersListed() async throws {
        let scene = try await Scene()
        try scene.markInFile([0, 1])
        await scene.settle()
        scene.renderer.follows = { job in
            .success(job.marks.enumerated().map { number, mark in Following.Moved(mark: mark, confidence: number == 0 ? 1 : 0.5) })
        }
        let hash = try await scene.replaceChart(differingOn: [0, 1])
        func followed() async throws -> NSDictionary? {
            let chart = try await scene.source.read(scene.chart, in: scene.plan, item: nil)
            let json = try JSONSerialization.jsonObject(with: Data(chart.json.line.utf8)) as? NSDictionary
            return json?["followed"] as? NSDictionary
        }
        let told = try #require(try await followed())
        #expect(told["moved"] as? Int == 1 && told["state"] as? String == "moved" && told["settled"] as? Bool == false)
        let open = try #require((told["unplaced"] as? [NSDictionary])?.first)
        #expect(open["former"] as? String != hash.description && (open["box"] as? [Double])?.count == 4)
        let (layer, id) = (LayerID(open["layer"] as? String ?? ""), open["id"] as? String ?? "")

        let gone = await #expect(throws: Trouble.self) {
            try await scene.source.place(id, of: layer, on: scene.chart, of: ChartHash(SHA256.digest(of: "before")), at: nil)
        }
        #expect(gone?.kind == .gone)
        try await scene.source.place(id, of: layer, on: scene.chart, of: hash, at: (PageIndex(0), 0.5, 0.5))
        await scene.settle()
        #expect(try await followed()?["moved"] as? Int == 2)
        #expect((try await followed()?["unplaced"] as? [NSDictionary])?.isEmpty == true)
        try await scene.source.settleOlderMarks(on: scene.chart, of: hash, .were)
        #expect(try await followed()?["state"] as? String == "were")
        try await scene.source.settleOlderMarks(on: scene.chart, of: hash, .right)
        #expect(try await followed()?["settled"] as? Bool == true)
        await scene.end()
    }

    @Test @LoopActor func marksOfAnotherVersionAreNoConcernOnceTheyAreHidden() async throws {
        let (scene, hash) = try await sceneOfOlderMarks()
        try await scene.source.settleOlderMarks(on: scene.chart, of: hash, .hide)
        await scene.settle()
        let chart = try await scene.source.read(scene.chart, in: nil, item: nil)
        #expect(chart.layers.map(\.isVisible) == [false] && chart.pages.allSatisfy { !$0.isMarked })
        #expect(try await older(scene).plan == nil)
        // Another screen still shows the question, and answers it.
        try await scene.source.settleOlderMarks(on: scene.chart, of: hash, .right)
        try await scene.source.setLayer(scene.layer, isVisible: true, of: scene.chart)
        #expect(try await older(scene).plan?["pages"] as? [Int] == [1], "shown again, they are as doubtful as before: nobody saw them")
        await scene.end()
    }

    /// A chart may be unreadable for a while, for example if the catalogue is locked. The change must not be lost.
    @Test @LoopActor func newsOfAChartThatCannotBeReadComesLater() async throws {
        let scene = try await Scene()
        _ = try await scene.source.chart(scene.chart, in: scene.plan, item: nil)
        scene.listen()
        await scene.wait(for: .seconds(2))
        scene.news = []
        func change(_ sql: String) throws {
            try Database.change(libraryAt: scene.folder.path("data")) { database throws(LibraryError) in try database.script(sql) }
        }
        var contents = try #require(try scene.library.plans.plan(scene.plan))
        contents.items[0].title = "Amazing Grace"
        try scene.library.plans.update([contents], at: scene.clock.timestamp)
        try change("ALTER TABLE item_attachments RENAME TO away")
        scene.source.news.receive(.reconciled(changed: [scene.chart]))
        await scene.wait(for: .seconds(20))
        func hasNews() -> Bool { scene.news.contains { if case .chart(scene.chart, _) = $0 { true } else { false } } }
        #expect(!hasNews())
        try change("ALTER TABLE away RENAME TO item_attachments")
        await scene.wait(for: .seconds(60))
        #expect(hasNews(), "\(scene.news)")
        await scene.end()
    }

    /// A tablet has no command line, so the musician accepts the damage in the viewer.
    @Test @LoopActor func aChartWithDamagedPagesIsAcceptedAsItWasShown() async throws {
        let scene = try await Scene()
        let hash = try await scene.source.chart(scene.chart, in: scene.plan, item: nil).hash
        try scene.library.images.note(lostContent: "a picture cannot be read", on: PageIndex(0), of: hash)
        func seen() async throws -> NSDictionary {
            try items(of: try await scene.source.plan(scene.plan)).flatMap { $0["charts"] as? [NSDictionary] ?? [] }[0]
        }
        func doubts() async throws -> NSDictionary? { try await seen()["doubts"] as? NSDictionary }
        let reason = try #require(try await seen()["reason"] as? String)
        #expect(reason.contains("damaged") && !reason.contains("woodshed"), "\(reason)")
        #expect((try await seen()["advice"] as? String)?.contains("woodshed accept") == true, "apart from what a singer reads")
        let told = try #require(try await doubts())
        #expect((told["sentences"] as? [String])?.first?.contains("damaged") == true, "\(told)")
        let other = await #expect(throws: Trouble.self) { try await scene.source.accept(scene.chart, in: scene.plan, of: "other") }
        #expect(other?.kind == .gone)
        try await scene.source.accept(scene.chart, in: scene.plan, of: try #require(told["of"] as? String))
        #expect(try await doubts() == nil)
        await scene.end()
    }

    @Test @LoopActor func imagesAreHadWithoutTheLoop() async throws {
        let scene = try await Scene()
        let name = try await scene.source.chart(scene.chart, in: nil, item: nil).pages[0].annotated.name
        let images = CachedImages(memory: scene.agent.memory, cache: scene.cache)
        guard case .file(let descriptor, let size)? = images.image(name) else {
            Issue.record("it is in the cache")
            return
        }
        let file = Descriptor(owning: descriptor)
        #expect(try file.readAll(limit: size, path: "image").count == size)
        await scene.agent.memory.show([name])
        guard case .bytes(let bytes)? = images.image(name) else {
            Issue.record("it is in memory")
            return
        }
        #expect(bytes.count == size)
        await scene.end()
    }

    @Test @LoopActor func ofASongInTwoKeysThePageIsSelectedInTheKeyOfItsItem() async throws {
        let scene = try await Scene()
        let items = try scene.addSongInTwoKeys()
        await scene.settle()
        let plan = PlanID("2")
        scene.source.noteOpen(plan: plan)
        for item in items + items.reversed() {
            let shown = try await scene.source.chart(AttachmentID("k"), in: plan, item: item.id)
            let page = ViewerPageChoice(chart: AttachmentID("k"), plan: plan, item: item.id, page: PageIndex(0), isMarked: true)
            let selected = try await scene.clock.run { try await scene.source.select(page) }
            #expect(selected.name == shown.pages[0].annotated.name, "in \(item.keyName)")
        }
        await scene.end()
    }

    /// Of a set that somebody has changed meanwhile, and of a song that cannot be drawn in the key.
    @Test(arguments: [("A", 7), ("Em", 0)])
    @LoopActor func ofAChangeForTonightThatIsRefusedNoKeyIsKept(key: String, number: Int) async throws {
        let scene = try await Scene()
        let song = try scene.addWords()
        let item = try #require(try scene.library.plans.plan(scene.plan)?.items.first?.id)
        await #expect(throws: Trouble.self) {
            try await scene.source.change(TonightRequest(.read(key: key), of: item, in: scene.plan, at: number))
        }
        #expect(try scene.library.songs.view(of: song, in: scene.plan) == nil)
        #expect(try scene.library.plans.plan(scene.plan)?.tonight?.differs != true)
        await scene.end()
    }

    /// A browser that has opened a song outside any plan must know where a key of its own would be kept.
    @Test @LoopActor func aSongOutsideThePlanSaysWhichPlanItIsFrom() async throws {
        let scene = try await Scene()
        let song = try scene.addWords()
        let chart = try await scene.source.chart(scene.chart, in: nil, item: nil)
        #expect(chart.song?.id == song && chart.song?.plan == scene.plan)
        #expect(chart.song?.usualWriting == .letters && chart.song?.scope == nil, "without a choice, there is only the other chart")
        await scene.end()
    }

    @Test @LoopActor func marksAreToldWhenTheirImageIsThere() async throws {
        let scene = try await Scene()
        let before = try await scene.source.chart(scene.chart, in: scene.plan, item: nil)
        scene.listen()
        await scene.wait(for: .seconds(2))
        scene.news = []
        try scene.mark([0, 1])
        await scene.settle()
        let after = try await scene.source.read(scene.chart, in: scene.plan, item: nil)
        guard case .page(scene.chart, let page)? = scene.news.first, page.index == PageIndex(1), page.isMarked else {
            Issue.record("\(scene.news)")
            return
        }
        let image = page.annotated
        #expect(image == after.pages[1].annotated && image.isHere && image != before.pages[1].annotated)
        #expect(scene.news.dropFirst().first == .chart(scene.chart, set: after.set))

        // Hiding a layer removes its marks from the pages.
        scene.news = []
        try await scene.source.setLayer(scene.layer, isVisible: false, of: scene.chart)
        await scene.settle()
        let pages = scene.news.compactMap { if case .page(_, let page) = $0, !page.isMarked { page.index } else { nil } }
        #expect(pages == [PageIndex(0), PageIndex(1)], "\(scene.news)")
        await #expect(throws: Trouble.unknownLayer) {
            try await scene.source.setLayer(LayerID("9"), isVisible: true, of: scene.chart)
        }

        // When no page is open any more, the viewer compares nothing and leaves no timer.
        scene.source.setLookedAt(false)
        scene.news = []
        try scene.mark([])
        await scene.settle()
        #expect(scene.news.isEmpty)
        await scene.end()
    }

    /// A browser with the chart open receives a change even if another device reads that chart first.
    @Test @LoopActor func whatAnotherDeviceReadsFirstIsToldAllTheSame() async throws {
        let scene = try await Scene()
        let before = try await scene.source.chart(scene.chart, in: scene.plan, item: nil)
        scene.listen()
        await scene.wait(for: .seconds(2))
        scene.news = []
        try scene.mark([0, 1])
        let after = try await scene.source.chart(scene.chart, in: nil, item: nil)
        #expect(after.pages[1].annotated.name != before.pages[1].annotated.name)
        await scene.settle()
        let told = scene.news.compactMap { if case .page(scene.chart, let page) = $0, page.isMarked { page } else { nil } }
        #expect(told.map(\.index) == [PageIndex(1)] && told.first?.annotated.name == after.pages[1].annotated.name, "\(scene.news)")
        await scene.end()
    }

    @Test @LoopActor func marksWhoseImageCannotBeMadeAreToldAndAgainWhenItCame() async throws {
        let scene = try await Scene()
        _ = try await scene.source.chart(scene.chart, in: scene.plan, item: nil)
        scene.listen()
        await scene.wait(for: .seconds(2))
        scene.news = []
        scene.renderer.verdict = { _ in .failure(.cannotStart("it is gone")) }
        try scene.mark([0, 1])
        await scene.settle()
        let pages = { scene.news.compactMap { if case .page(_, let page) = $0 { (page.index, page.annotated.isHere) } else { nil } } }
        #expect(pages().map(\.0) == [PageIndex(1)] && pages().map(\.1) == [false], "\(scene.news)")
        let image = try await scene.source.read(scene.chart, in: scene.plan, item: nil).pages[1].annotated.name
        let refusal = await #expect(throws: Trouble.self) {
            try await scene.clock.run { [source = scene.source] in try await source.image(image) }
        }
        #expect(refusal?.description == "this page cannot be drawn: the renderer does not start: it is gone")

        // Unchanged pages cause no second event.
        scene.news = []
        await scene.settle()
        #expect(pages().isEmpty, "\(scene.news)")

        scene.renderer.verdict = { _ in .success(PageOutcome()) }
        await scene.settle()
        #expect(pages().map(\.0) == [PageIndex(1)] && pages().map(\.1) == [true], "\(scene.news)")
        await scene.end()
    }

    @Test @LoopActor func imagesOfAFormerRendererAreNamedUntilThereAreNewOnes() async throws {
        let scene = try await Scene()
        let before = try await scene.source.chart(scene.chart, in: scene.plan, item: nil).pages
        #expect(before.allSatisfy { $0.plain.former == nil && $0.thumbnail.former == nil })
        scene.renderer.currentTag = RendererTag("simulated-2")
        let after = try await scene.source.chart(scene.chart, in: scene.plan, item: nil).pages
        #expect(after.allSatisfy { !$0.plain.isHere && !$0.annotated.isHere && !$0.thumbnail.isHere })
        #expect(after.map(\.plain.former) == before.map(\.plain.name) && after.map(\.thumbnail.former) == before.map(\.thumbnail.name))
        // The former image may show other marks, so it is not offered.
        #expect(after[0].annotated.former == nil)
        let chart = try #require(try await scene.source.plan(scene.plan).outlook.charts.first { $0.key.attachment == scene.chart }?.value)
        #expect(chart.pages.map(\.thumbnail.former) == before.map(\.thumbnail.name))
        #expect(
            CachedImages(memory: scene.agent.memory, cache: scene.cache).image(before[1].thumbnail.name)
                != nil)

        await scene.settle()
        let made = try await scene.source.chart(scene.chart, in: scene.plan, item: nil).pages
        #expect(made.allSatisfy { $0.plain.isHere && $0.plain.former == nil && $0.thumbnail.former == nil })
        await scene.end()
    }

    @Test @LoopActor func aLineThatIsDownIsToldOnce() async throws {
        let scene = try await Scene()
        scene.listen()
        scene.source.sync()
        await scene.wait(for: .seconds(600))
        let since = try #require(scene.agent.offlineSince)
        let told = scene.news.filter { if case .status = $0 { true } else { false } }
        let failing = try #require(try scene.library.service.failingPolls)
        #expect(told == [.status(ViewerStatus(offlineSince: since, failingPolls: failing))])
        #expect(failing.reason.hasPrefix("the service cannot be reached"))
        scene.source.sync()
        await scene.wait(for: .seconds(600))
        #expect(scene.agent.offlineSince == since)
        await scene.end()
    }

    @Test @LoopActor func changesAreToldUntilTheyWereRead() async throws {
        let scene = try await Scene()
        #expect(try await changes(scene) == [], "nobody has looked at it")
        scene.source.noteOpen(plan: scene.plan)
        #expect(try await changes(scene) == [])
        for pages in [[1], [0, 1]] { try scene.mark(pages) }
        #expect(try await changes(scene) == ["Marks of 'Bowings' by Ann on 'Chart a' changed."])
        scene.source.noteOpen(plan: scene.plan)
        #expect(try await changes(scene).count == 1, "looking is not reading")
        try await scene.source.noteSeen(scene.plan)
        #expect(try await changes(scene) == [])
        await scene.end()
    }

    /// The changes that the list of plans shows for the first plan.
    @LoopActor private func changes(_ scene: Scene) async throws -> [String] {
        let plan = try JSONSerialization.jsonObject(with: Data(try await scene.source.state().plans[0].listed.utf8)) as? NSDictionary
        return try #require(plan?["changes"] as? [String])
    }

    private func items(of plan: ViewerPlan) throws -> [NSDictionary] {
        let json = try JSONSerialization.jsonObject(with: Data(plan.contents.line.utf8)) as? NSDictionary
        return try #require(json?["items"] as? [NSDictionary])
    }
}
