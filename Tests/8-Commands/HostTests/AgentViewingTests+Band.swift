import Agent
import Band
import BandLayout
import Foundation
import Library
import Model
import Platform
import Readiness
import TestSupport
import Testing

@testable import Host
@testable import Viewer

/// The band as the viewer shows it, with an agent that belongs to the band.
extension AgentViewingTests {
    /// The band's shared folder, and Ben's device in it.
    @LoopActor
    private final class Place {
        let folder = TemporaryFolder()
        private let ben = BandDevice("benbenbenbenbenb")
        private var counter = 0

        init() throws {
            try Folder.create(folder.path("d/\(ben)"))
            try write(BandMarker(id: BandDevice("teamteamteamteam"), name: "Harmony").bytes, as: BandPath.marker)
        }

        private func write(_ bytes: [UInt8], as path: String) throws {
            try AtomicFile.write(String(decoding: bytes, as: UTF8.self), to: folder.path(path))
        }

        /// Has Ben share this many marks on a chart, and report that he is ready for this plan.
        func say(marks: Int, on chart: ChartHash, readyFor plan: PlanID, at now: Timestamp) throws {
            let list = (0..<marks).map {
                ##"{"id":"\##($0)","page":0,"kind":"pen","color":"#00ff00","width":0.02,"points":[[0.2,0.\##($0 + 1)],[0.8,0.5]]}"##
            }
            let object = Array(
                #"{"version":1,"attachment_id":"x","name":"Drawn in Woodshed","marks":[\#(list.joined(separator: ","))]}"#.utf8)
            let sum = SHA256.digest(of: object)
            try write(object, as: BandPath.object(sum, of: ben))
            counter += 1
            let layer = BandHead.Layer(
                id: "l1", name: "Drawn in Woodshed", chart: chart, title: "Grace", object: sum, length: object.count, since: counter)
            let word = BandHead.Readiness(plan: plan, title: "Harvest", time: nil, isReady: true, lacks: [], asOf: now)
            let head = BandHead(
                device: ben, counter: counter, person: "Ben", name: "tablet", readiness: [word], layers: marks == 0 ? [] : [layer])
            try write(head.bytes, as: BandPath.head(of: ben))
        }

        /// Has Ben offer an order for tonight.
        func offer(_ rows: [TonightOffer.Row], for plan: PlanID) throws {
            counter += 1
            var head = BandHead(device: ben, counter: counter, person: "Ben", name: "tablet")
            head.offers = [try #require(TonightOffer(of: plan.everywhere, rows))]
            try write(head.bytes, as: BandPath.head(of: ben))
        }

        /// The report that the agent's device wrote there.
        func said() throws -> BandHead? {
            let devices = try FileManager.default.contentsOfDirectory(atPath: folder.path("d")).filter { $0 != ben.text }
            return try devices.first.map {
                try BandHead.read(AtomicFile.read(folder.path(BandPath.head(of: BandDevice($0))), limit: BandHead.limit)).head
            }
        }
    }

    @Test @LoopActor func theBandSeesAChartOnceItIsSharedAndNoLonger() async throws {
        let place = try Place()
        let scene = try await Scene(band: place.folder.path)
        _ = try await scene.source.keepInk(
            Array(#"{"marks":[{"id":"m","page":1,"kind":"pen","points":[[0,0]],"v":{"d":1}}]}"#.utf8), of: scene.chart)
        scene.agent.beginUpkeep()
        await scene.settle()
        let chart = try await scene.source.chart(scene.chart, in: nil, item: nil)
        #expect(chart.isShared == false)
        let said = try #require(try place.said())
        #expect(said.readiness.map(\.plan) == [scene.plan] && said.layers.isEmpty)
        scene.listen()
        for isShared in [true, false] {
            try await scene.source.share(isShared, scene.chart)
            #expect(try await scene.source.chart(scene.chart, in: nil, item: nil).isShared == isShared)
            #expect(try scene.library.band.shares().include(scene.chart) == isShared)
            // The agent writes to the band's folder at most every ten seconds.
            await scene.wait(for: .seconds(11))
            await scene.clock.run { await scene.agent.settled() }
            #expect(try place.said()?.layers.map(\.chart) == (isShared ? [chart.hash] : []))
            #expect(scene.news.contains { if case .chart(scene.chart, _) = $0 { true } else { false } }, "other windows are told")
            scene.news = []
        }
        await #expect(throws: Trouble.self) { try await scene.source.share(true, AttachmentID("none")) }
        await scene.end()
    }

    @Test @LoopActor func marksOfTheBandAreCountedAndStayHidden() async throws {
        let place = try Place()
        let scene = try await Scene(band: place.folder.path)
        let chart = try await scene.source.chart(scene.chart, in: nil, item: nil)
        try place.say(marks: 2, on: chart.hash, readyFor: scene.plan, at: scene.clock.timestamp)
        scene.source.noteOpen(plan: scene.plan)
        scene.agent.beginUpkeep()
        await scene.settle()
        func ben() async throws -> ViewerLayer? {
            try await scene.source.chart(scene.chart, in: nil, item: nil).layers.first { $0.shared != nil }
        }
        let layer = try #require(try await ben())
        #expect(layer.person == "Ben" && layer.name == "Drawn in Woodshed" && layer.isVisible)
        #expect(layer.shared == ViewerLayer.Shared(device: "tablet", marks: 2))
        let plan = try await scene.source.plan(scene.plan)
        #expect(plan.changes == ["new marks by Ben on 'Chart a'"])
        #expect(plan.band?.people.map(\.name) == ["Anna", "Ben"])

        try await scene.source.setLayer(layer.id, isVisible: false, of: scene.chart)
        scene.listen()
        try place.say(marks: 3, on: chart.hash, readyFor: scene.plan, at: scene.clock.timestamp)
        scene.agent.noteChange()
        await scene.settle()
        let changed = try #require(try await ben())
        #expect(changed.shared?.marks == 3 && !changed.isVisible)
        #expect(scene.news.contains { if case .chart(scene.chart, _) = $0 { true } else { false } })
        try place.say(marks: 0, on: chart.hash, readyFor: scene.plan, at: scene.clock.timestamp)
        scene.agent.noteChange()
        await scene.settle()
        #expect(try await ben() == nil)
        #expect(try await scene.source.plan(scene.plan).changes.last == "no marks any more by Ben on 'Chart a'")
        await scene.end()
    }

    @Test @LoopActor func anOrderIsUsedAsThePageShowsItAndOfferedOn() async throws {
        let place = try Place()
        let scene = try await Scene(band: place.folder.path)
        try place.offer(
            [
                .init(ItemID("i3"), isMoved: true), .init(ItemID("i0"), isLeftOut: true), .init(ItemID("i1")),
                .init(ItemID("i2"), remark: "twice"),
            ], for: scene.plan)
        scene.agent.beginUpkeep()
        await scene.settle()
        func refusal(_ change: TonightRequest.Change, at number: Int) async -> Trouble? {
            do throws(Trouble) {
                try await scene.source.change(TonightRequest(change, in: scene.plan, at: number))
                return nil
            } catch {
                return error
            }
        }
        let offer = try #require(try await scene.source.plan(scene.plan).offers?.first)
        #expect(offer.name == "Ben" && offer.tonight.words == "1 left out, 1 moved, 1 with a remark")
        #expect(await refusal(.use(from: offer.from, tag: "another"), at: 0)?.kind == .overtaken)
        #expect(await refusal(.use(from: offer.from, tag: offer.tag), at: 1)?.kind == .overtaken)
        #expect(await refusal(.use(from: "nobody", tag: offer.tag), at: 0)?.kind == .gone)
        #expect(await refusal(.use(from: offer.from, tag: offer.tag), at: 0) == nil)
        let plan = try await scene.source.plan(scene.plan)
        #expect(plan.outlook.contents.items.map(\.title) == ["Lost", "Prayer", "River"])
        #expect(plan.offers?.map(\.state) == [.used])
        #expect(await refusal(.offer(true), at: 1) == nil)
        // The agent writes to the band's folder at most every ten seconds.
        await scene.wait(for: .seconds(11))
        await scene.clock.run { await scene.agent.settled() }
        #expect(try place.said()?.offers.map(\.rows.count) == [4])
        await scene.end()
    }

    @Test @LoopActor func aServerIsAskedAsOftenAsSomebodyWantsToKnow() async throws {
        let store = FakeStore("https://example.org/dav/band", hasFolders: true)
        store.set(BandMarker(id: BandDevice("bandbandbandband"), name: "Harmony").bytes, at: BandPath.marker)
        let scene = try await Scene(at: store)
        func looks(in time: Duration) async -> Int {
            store.forget()
            await scene.wait(for: time)
            return store.requests.count { $0.url.hasSuffix(BandPath.door) && $0.method == .get }
        }
        scene.agent.beginUpkeep()
        _ = await looks(in: .seconds(120))
        #expect(store.files.keys.contains { $0.hasSuffix("head.json") }, "it says that it is there")
        // The plan is tomorrow, so the agent polls the server about once a minute.
        #expect((9...11).contains(await looks(in: .seconds(600))))
        scene.listen()
        #expect(await looks(in: .seconds(600)) <= 11, "somebody looks at the plans")
        let page = ViewerPageChoice(chart: scene.chart, page: PageIndex(0), isMarked: true)
        let shown = Task { @LoopActor in try await scene.source.select(page) }
        #expect((11...13).contains(await looks(in: .seconds(60))), "a chart is on a screen")
        _ = try await shown.value
        // Saving a stroke polls nothing.
        store.forget()
        _ = try await scene.source.keepInk(
            Array(#"{"marks":[{"id":"m","page":1,"kind":"pen","points":[[0,0]],"v":{"d":1}}]}"#.utf8), of: scene.chart)
        scene.agent.noteShares()
        await scene.wait(for: .seconds(3))
        #expect(store.requests.count { $0.url.hasSuffix(BandPath.door) } <= 1)
        scene.source.setLookedAt(false)
        #expect(await looks(in: .seconds(600)) <= 12, "nobody looks any more")
        // After three days the plan is over, and the agent polls about once an hour.
        _ = await looks(in: .seconds(3 * 86_400))
        #expect((2...3).contains(await looks(in: .seconds(3 * 3600))))
        await scene.end()
    }

    @Test @LoopActor func whoPlaysAloneIsToldNothingOfABand() async throws {
        let scene = try await Scene()
        #expect(try await scene.source.chart(scene.chart, in: nil, item: nil).isShared == nil)
        #expect(try await scene.source.plan(scene.plan).band == nil)
        #expect(try await scene.source.plan(scene.plan).offers == nil)
        await #expect(throws: Trouble.self) { try await scene.source.share(true, scene.chart) }
        await scene.end()
    }
}
