import Agent
import BandFolder
import BandStorage
import Catalogue
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

extension AgentViewingTests {
    /// One plan of two songs. The first song's chart has two pages, which are shown in reverse order, and Ann's marks on its first page.
    @LoopActor
    final class Scene {
        let folder = TemporaryFolder()
        let clock = SimulatedClock()
        let renderer: SimulatedRenderer
        let library: Library
        let cache: PageCache
        let agent: Agent
        let source: AgentViewing
        var news: [ViewerNews] = []
        let plan = PlanID("1")
        let chart = AttachmentID("a")
        let layer = LayerID("51")

        /// The agent belongs to a band if the band's folder or its server is given.
        init(band place: String? = nil, at store: FakeStore? = nil) async throws {
            renderer = SimulatedRenderer(width: 2, clock: clock, duration: .milliseconds(50))
            library = try Library(folder: folder.path("data"))
            cache = try PageCache(folder: folder.path("cache"), side: SideThread(inline: true))
            let network = SimulatedNetwork(time: clock) { _ throws(HTTPFailure) in throw HTTPFailure(.unreachable, "no line") }
            let client = PlanningCenterClient(
                account: Account(
                    apiURL: "https://service.test", annotationsURL: nil, credentials: Secret("id:secret"), userAgent: "test"),
                transport: network, time: clock, log: .silent)
            let home = HomeID(in: folder.path("data"))
            let side = SideThread(inline: true)
            var band = place.map { BandParts(carrier: FolderCarrier($0, side: side), home: home, person: "Anna", name: "laptop") }
            if let store {
                let carrier = StorageCarrier(try StorageAddress(store.base), transport: store, time: clock, side: side)
                band = BandParts(carrier: carrier, home: home, person: "Anna", name: "laptop", isSilent: { true })
            }
            agent = Agent(
                Agent.Parts(
                    library: library, cache: cache, renderer: renderer, service: client, time: clock, log: .silent, band: band),
                settings: AgentSettings())
            source = AgentViewing(
                agent: agent, library: library, clock: clock,
                ownLayers: OwnLayers(
                    [], ours: folder.path("data/annotations"), roots: MarkRoots([folder.path("data/annotations")]),
                    home: home))
            try fill()
            try mark([0])
            await settle()
        }

        private var now: Timestamp { clock.timestamp }

        /// Adds a plan with one song twice, in G and in Bb, and returns the items.
        func addSongInTwoKeys() throws -> [PlanItem] {
            let day = now + .seconds(2 * 86_400)
            let items = ["G", "Bb"].map { key in
                let chart = Attachment(id: AttachmentID("k"), filename: "Chart k.pdf", isGenerated: true, generatedFrom: key)
                return PlanItem(id: ItemID(key), sequence: 0, title: "Swing Low", keyName: key, attachments: [chart], kind: "song")
            }
            let keys = Plan(id: PlanID("2"), serviceType: ServiceTypeID("7"), title: "Keys", firstTime: day, lastTime: day)
            try library.plans.update([PlanContents(plan: keys, items: items)], at: now)
            for chart in items.flatMap(\.attachments) { try keep(chart) }
            return items
        }

        /// Gives the first song words and chords, besides its chart.
        func addWords() throws -> SongID {
            let text = SongText("[G]La", title: "Grace", key: "G")
            try library.songs.keep(text, as: text.digest)
            var contents = try #require(try library.plans.plan(plan))
            contents.items[0].song = ItemSong(SongID("77"), title: "Grace", text: text.digest, isShown: false)
            try library.plans.update([contents], at: now)
            return SongID("77")
        }

        /// Replaces the first chart by one whose second page looks different.
        func replaceChart(differingOn pages: Set<Int> = [1]) async throws -> ChartHash {
            let hash = try keep(Attachment(id: chart, filename: "Chart a.pdf", pageOrder: "2,1"), text: "new")
            renderer.shade = { $0.chart.contains(hash.digest.hex) && pages.contains($0.page.value) ? 1 : 0 }
            await settle()
            return hash
        }

        @discardableResult
        private func keep(_ chart: Model.Attachment, text: String = "") throws -> ChartHash {
            let bytes = Array("%PDF-1.7\n\(chart.id) \(chart.generatedFrom)\(text)\n%%EOF\n".utf8)
            let hash = ChartHash(SHA256.digest(of: bytes))
            let file = try library.charts.beginChart()
            try bytes.withUnsafeBytes { try file.write($0) }
            try library.charts.keep(
                file, hash: hash, size: bytes.count, for: chart.id, madeFrom: chart.generatedFrom, version: chart.version)
            return hash
        }

        private func fill() throws {
            let day = now + .seconds(86_400)
            let charts = ["a", "b", "c"].map {
                Attachment(id: AttachmentID($0), filename: "Chart \($0).pdf", pageOrder: $0 == "a" ? "2,1" : "")
            }
            let items = zip(["Grace", "Prayer", "River", "Lost"], [[charts[0]], [], [charts[1]], [charts[2]]]).enumerated().map {
                place, item in
                PlanItem(
                    id: ItemID("i\(place)"), sequence: place, title: item.0, keyName: place == 0 ? "D" : "", attachments: item.1,
                    kind: place == 1 ? "header" : "song", length: place == 0 ? 240 : nil, description: place == 0 ? "Slow\n\nTwice" : nil)
            }
            let contents = PlanContents(
                plan: Plan(id: plan, serviceType: ServiceTypeID("7"), title: "Harvest", firstTime: day, lastTime: day), items: items)
            try library.plans.update([contents], at: now)
            // The third chart was never downloaded.
            for chart in charts.prefix(2) { try keep(chart) }
        }

        /// The service sends the plan with other charts; such a change is held back as doubtful.
        func replaceAllButTheFirst() throws {
            var contents = try #require(try library.plans.plan(plan))
            for (place, name) in [(2, "x"), (3, "y")] {
                contents.items[place].attachments = [Attachment(id: AttachmentID(name), filename: "Chart \(name).pdf")]
            }
            try library.plans.update([contents], at: now)
        }

        /// Puts Ann's marks on these pages of the first chart, and removes them from all others.
        func mark(_ pages: [Int]) throws {
            let marks = pages.map { Mark(id: "\($0)", page: PageIndex($0), kind: .pen, width: 0.01, points: [Mark.Point(x: 0.5, y: 0.5)]) }
            revision += 1
            let layer = Layer(id: layer, attachment: chart, personName: "Ann", name: "Bowings", revision: revision, marks: marks)
            try library.layers.update(layers: [layer], of: plan, at: now)
        }
        private var revision = 0

        /// The same in a file of the musician's.
        func markInFile(_ pages: [Int]) throws {
            let file = LocalFile(
                path: "/music/song.xopp", stamp: FileStamp(device: 1, inode: 2, size: 3, modified: 4), firstSeen: Timestamp(nanoseconds: 0),
                attachment: chart,
                content: MarkFile(
                    marks: pages.map { page in
                        let points = [Mark.Point(x: 0.5, y: 0.5), Mark.Point(x: 0.6, y: 0.5)]
                        return Mark(id: "\(page)", page: PageIndex(page), kind: .pen, width: 0.01, points: points)
                    }))
            try library.markFiles.store([file])
        }

        func settle() async {
            agent.reconcile()
            await clock.run { [agent] in await agent.settled() }
        }

        func wait(for duration: Duration) async { await clock.run { [clock] in try? await clock.sleep(for: duration) } }

        func listen() {
            source.setNewsHandler { [weak self] in self?.news.append($0) }
            source.setLookedAt(true)
        }

        func end() async { await clock.run { [agent] in await agent.stop() } }
    }
}
