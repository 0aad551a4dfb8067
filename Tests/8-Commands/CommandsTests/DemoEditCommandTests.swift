import Catalogue
import CommandTestSupport
import Library
import Model
import Platform
import StandInSupport
import TestSupport
import Testing

@testable import CommandLine
@testable import Commands
@testable import Configuration

/// Edits of a stand-in service, from a home that looks as if a demo were running in it.
@Suite(.onLoop)
struct DemoEditCommandTests {
    @LoopActor
    private final class Demo {
        let session: Session
        let service: StandIn
        let home: String
        private let temporary: TemporaryFolder
        private let lock: AgentLock

        /// Makes a home in `temporary` that looks like the home of a running demo: with a demo's name, a held lock and the
        /// stand-in's address.
        init(_ temporary: TemporaryFolder = TemporaryFolder(), _ name: String = "woodshed-demo-1") throws {
            self.temporary = temporary
            session = Session(["TMPDIR": temporary.path])
            home = temporary.path(name)
            service = try StandIn.start()
            let paths = try Configuration.load(ConfigurationSources(environment: session.environment, home: home)).paths
            try Folder.create(paths.data)
            lock = try AgentLock.take(in: paths.data)
            try DemoAddress(paths).write(service.controlURL)
        }

        /// Adds the chart of a layer to the demo's library, with this many pages.
        func keepChart(under layer: String, pages: Int) throws {
            let chart = AttachmentID(try #require(service.attachment(under: layer)))
            let time = Timestamp(nanoseconds: 1_795_000_000_000_000_000)
            let attachment = Model.Attachment(
                id: chart, filename: "a.pdf", fileSize: 9, updatedAt: time, isGenerated: false, generatedFrom: "")
            let library = try Library(folder: home + "/data")
            defer { library.close() }
            try library.plans.update(
                [
                    PlanContents(
                        plan: Plan(id: PlanID("1"), serviceType: ServiceTypeID("1"), firstTime: time, lastTime: time),
                        items: [PlanItem(id: ItemID("1"), sequence: 1, title: "", keyName: "", attachments: [attachment])])
                ], at: time)
            let bytes = Array("%PDF-1.7\n%%EOF\n".utf8)
            let file = try library.charts.beginChart()
            try bytes.withUnsafeBytes { try file.write($0) }
            let hash = ChartHash(SHA256.digest(of: bytes))
            try library.charts.keep(file, hash: hash, size: bytes.count, for: chart, version: attachment.version)
            let page = PageGeometry(width: 600, height: 800)
            let description = StoredDescription(pages: Array(repeating: page, count: pages))
            try library.charts.setDescription(description, of: hash, by: RendererTag("test"))
        }

        func run(_ line: String) async -> Session.Ending {
            let words = line.split(separator: " ").dropFirst().map { $0 == "~/try" ? home : String($0) }
            return await session.run(words.contains("--home") ? words : words + ["--home", home])
        }
    }

    /// Whether the id is not that of the past plan or of one of its items. The demo shows only coming plans, so examples must change these.
    private static func isComing(_ id: String) -> Bool { id != "67810001" && !("91230001"..."91230005").contains(id) }

    private static let examples = Command.demoEdit.subcommands.flatMap(\.examples).map(\.line)

    @Test(arguments: examples) @LoopActor func everyExampleOfTheHelpChangesSomethingThatIsShown(line: String) async throws {
        let demo = try Demo()
        defer { demo.service.stop() }
        let before = demo.service.state
        let ending = await demo.run(line)
        #expect(ending.code == .fine, "\(ending.messages)")
        #expect(demo.service.state != before)
        #expect(line.split(separator: " ").map(String.init).allSatisfy(Self.isComing))
    }

    @Test @LoopActor func editAloneOffersCommandsThatAllWork() async throws {
        let demo = try Demo()
        defer { demo.service.stop() }
        let offer = await demo.run("woodshed demo edit")
        #expect(offer.code == .fine, "\(offer.messages)")
        #expect(offer.results.contains("  riverside-lead-117  ") && offer.results.contains("  91230010  Holy, Holy, Holy (Gathered In "))
        #expect(!offer.results.contains("Looking Back"), "what is past is not shown")
        let lines = offer.results.split(separator: "\n").filter { $0.hasPrefix("    woodshed demo edit ") }.map { String($0.dropFirst(4)) }
        let verbs = Set(lines.compactMap { $0.split(separator: " ").dropFirst(3).first.map(String.init) })
        #expect(verbs == Set(Command.demoEdit.subcommands.map(\.name)), "one for each kind of edit")
        for line in lines {
            let demo = try Demo()
            defer { demo.service.stop() }
            let before = demo.service.state
            let ending = await demo.run(line)
            #expect(ending.code == .fine, "\(line): \(ending.messages)")
            #expect(demo.service.state != before, "\(line)")
        }
    }

    @Test @LoopActor func aMarkOnAPageThatTheChartDoesNotHaveIsRefused() async throws {
        let demo = try Demo()
        defer { demo.service.stop() }
        try demo.keepChart(under: "riverside-lead-117", pages: 2)
        let before = demo.service.state
        let ending = await demo.run("woodshed demo edit add-mark riverside-lead-117 3")
        #expect(ending.code == .failed && demo.service.state == before)
        #expect(
            ending.messages.contains("there is no page 3: the chart of this layer has 2 pages; choose one from 1 to 2"),
            "\(ending.messages)")
        #expect(await demo.run("woodshed demo edit add-mark riverside-lead-117 2").code == .fine)
        #expect(demo.service.state != before)
    }

    @Test @LoopActor func theOnlyDemoThatRunsNeedsNoName() async throws {
        let temporary = TemporaryFolder()
        let demo = try Demo(temporary)
        defer { demo.service.stop() }
        #expect(await demo.session.run("demo", "edit", "move-item", "91230010", "0").code == .fine)
        let other = try Demo(temporary, "woodshed-demo-2")
        defer { other.service.stop() }
        let ending = await demo.session.run("demo", "edit")
        #expect(ending.code == .failed)
        #expect(ending.messages.hasSuffix("with one of\n--home \(demo.home)\n--home \(other.home)\n"), "\(ending.messages)")
        #expect(await demo.session.run("demo", "edit", "--home", other.home).code == .fine)
        let nobody = await Session(["TMPDIR": temporary.path("none")]).run("demo", "edit")
        #expect(nobody.messages.contains("no demo is running"), "\(nobody.messages)")
    }

    @Test @LoopActor func doctorFindsNoFaultWithADemosHome() async throws {
        let demo = try Demo()
        defer { demo.service.stop() }
        let ending = await demo.run("woodshed doctor")
        #expect(ending.code == .fine, "\(ending.results)")
        #expect(ending.results.contains("skipped  token                 this is a demo's home, which needs none\n"))
        #expect(ending.results.contains("skipped  service"))
    }

    /// A home may have traces of a demo and still be a real account's, for example if a demo was tried there and the token is gone.
    @Test @LoopActor func doctorTakesNoOtherHomeForADemos() async throws {
        let demo = try Demo()
        defer { demo.service.stop() }
        let marker = demo.home + "/data/demo"
        let words = try AtomicFile.read(marker, limit: 1000)
        try AtomicFile.write("my demo recordings\n", to: marker)
        let file = await demo.run("woodshed doctor --offline")
        #expect(file.code == .notReady && file.results.contains("problem  token"), "\(file.results)")
        try AtomicFile.write(String(decoding: words, as: UTF8.self), to: marker)
        #expect(await demo.run("woodshed doctor --offline").code == .fine)
        try demo.keepChart(under: "riverside-lead-117", pages: 2)
        let plan = await demo.run("woodshed doctor --offline")
        #expect(plan.code == .notReady && plan.results.contains("problem  token"), "\(plan.results)")
        #expect(plan.results.contains("warning  backups"), "\(plan.results)")
    }
}
