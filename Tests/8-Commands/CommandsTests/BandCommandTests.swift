import BandLayout
import Catalogue
import CommandTestSupport
import Library
import Model
import Platform
import TestSupport
import Testing

@testable import CommandLine
@testable import Commands
@testable import Configuration

/// What a beginner is told to do next can be typed where it is told.
@Suite(.onLoop)
struct BandCommandTests {
    private let session = Session()
    private var home: String { session.folder.path }
    private var place: String { session.folder.path("band") }

    @LoopActor private func create() async -> Session.Ending {
        await session.run("band", "create", place, "--name", "Harmony", "--person", "Anna", "--home", home)
    }

    /// Without an account, no agent starts, and there is nothing to share yet.
    @Test @LoopActor func beforeSetUpTheSetUpIsNamedFirst() async {
        let made = await create()
        #expect(made.code == .fine, "\(made.messages)")
        #expect(made.messages.contains("once your account is set up with 'woodshed setup', and 'woodshed agent' runs"), "\(made.messages)")
        #expect(made.messages.contains("Once your plans are here, 'woodshed band share --all' shares"), "\(made.messages)")
    }

    @Test @LoopActor func inADemosHomeTheDemoIsNamed() async throws {
        let sources = ConfigurationSources(environment: session.environment, home: home)
        try Library(folder: home + "/data").close()
        try DemoAddress(try Configuration.load(sources).paths).write("http://127.0.0.1:1/")
        let made = await create()
        #expect(made.messages.contains("once 'woodshed demo' runs again"), "\(made.messages)")
        #expect(made.messages.contains("If the demo is running, end it first"), "\(made.messages)")
        #expect(!made.messages.contains("agent"), "\(made.messages)")
    }

    @Test @LoopActor func whereThereAreNoMarksYetNoneAreSaidToBeSeen() async throws {
        #expect(await create().code == .fine)
        try Library(folder: home + "/data").close()
        let shared = await session.run("band", "share", "--all", "--home", home)
        #expect(shared.results.contains("The band sees your marks on all charts as soon as there are any."), "\(shared.results)")
        let alone = await session.run("band", "ready", "--home", home)
        #expect(alone.messages.contains("heard here yet; 'woodshed band"), "\(alone.messages)")
    }

    @Test @LoopActor func aDemosHomeNeedsNoToken() async throws {
        #expect(await session.run("config", "check", "--home", home).messages.contains("no token is configured"))
        try Folder.create(home + "/data")
        let sources = ConfigurationSources(environment: session.environment, home: home)
        try DemoAddress(try Configuration.load(sources).paths).write("http://127.0.0.1:1/")
        let check = await session.run("config", "check", "--home", home)
        #expect(check.code == .fine && !check.messages.contains("token"), "\(check.messages)")
    }

    @Test @LoopActor func whatBeginsABandIsNamedWithAllThatItNeeds() async throws {
        try Folder.create(place)
        let joined = await session.run("band", "join", place, "--home", home)
        #expect(joined.code == .failed)
        #expect(joined.messages.contains("woodshed band create \(place.shellQuoted) --name NAME"), "\(joined.messages)")
        let none = await session.run("band", "leave", "--home", home)
        for words in ["'woodshed band create FOLDER --name NAME' begins one", "'woodshed band join FOLDER' joins one"] {
            #expect(none.messages.contains(words), "\(none.messages)")
        }
    }

    // MARK: - Sets

    private let advent = PlanID.ofSet("2026-11-29 Advent")

    /// A home that is in a band and has a set with a chart of this size, and a plan of the service.
    @LoopActor private func library(chart size: Int = 1000) async throws -> Library {
        let library = try Library(folder: home + "/data")
        let chart = Model.Attachment(id: AttachmentID(ofBytes: SHA256.digest(of: "grace")), filename: "Grace.pdf", fileSize: size)
        let set = PlanContents(
            plan: Plan(id: advent, serviceType: ServiceTypeID("set"), title: "Advent"),
            items: [PlanItem(id: ItemID("1"), sequence: 1, title: "Grace", attachments: [chart], kind: "song")])
        try library.plans.update([set], of: .sets, at: Samples.monday)
        try library.plans.update(
            [PlanContents(plan: Plan(id: PlanID("1"), serviceType: ServiceTypeID("1"), title: "Harvest"), items: [])], at: Samples.monday)
        #expect(await create().code == .fine)
        return library
    }

    @Test @LoopActor func aSetIsSharedAndTakenBackByItsName() async throws {
        let library = try await library()
        defer { library.close() }
        let shared = await session.run("band", "share", "--set", "advent", "--home", home)
        #expect(shared.code == .fine && shared.results.contains("The band sees"), "\(shared.messages)")
        #expect(shared.results.contains("not the charts themselves"))
        #expect(try library.band.sharedSets() == [advent: false])
        let charts = await session.run("band", "share", "--set", "advent", "--with-charts", "--home", home)
        #expect(charts.results.contains("with its charts (1 kB)"), "\(charts.results)")
        #expect(try library.band.sharedSets() == [advent: true])
        _ = await session.run("band", "share", "--set", "advent", "--end", "--home", home)
        #expect(try library.band.sharedSets() == [:])
        let again = await session.run("band", "share", "--set", "advent", "--end", "--home", home)
        #expect(again.results.contains("was not shared"), "\(again.results)")
    }

    @Test @LoopActor func tonightsSetIsOfferedAndWithdrawn() async throws {
        let library = try await library()
        defer { library.close() }
        let none = await session.run("band", "offer", "advent", "--home", home)
        #expect(none.code == .failed && none.messages.contains("you changed nothing in it"), "\(none.messages)")
        try library.plans.change(.leaveOut(ItemID("1"), true), of: advent, at: 0, now: Samples.monday)
        let offered = await session.run("band", "offer", "advent", "--home", home)
        #expect(offered.code == .fine && offered.results.contains("The band is offered your order for"), "\(offered.messages)")
        #expect(try library.plans.offered().map(\.plan.id) == [advent])
        _ = await session.run("band", "offer", "advent", "--withdraw", "--home", home)
        #expect(try library.plans.offered() == [] && library.plans.plan(advent)?.items == [])
        let again = await session.run("band", "offer", "advent", "--withdraw", "--home", home)
        #expect(again.code == .fine && again.results.contains("was not offered"), "\(again.results)")
    }

    @Test @LoopActor func whatCannotBeSharedIsRefusedInWords() async throws {
        let library = try await library(chart: 64_000_001)
        defer { library.close() }
        let service = await session.run("band", "share", "--set", "harvest", "--home", home)
        #expect(service.code == .usage && service.messages.contains("the service's"), "\(service.messages)")
        let large = await session.run("band", "share", "--set", "advent", "--with-charts", "--home", home)
        #expect(large.code == .failed && large.messages.contains("Grace.pdf has 64 MB"), "\(large.messages)")
        for words in [["--with-charts"], ["--end"], ["--set", "advent", "--all"], ["--set", "advent", "--end", "--with-charts"]] {
            #expect(await session.run(["band", "share"] + words + ["--home", home]).code == .usage, "\(words)")
        }
        #expect(try library.band.sharedSets() == [:])
    }

    @Test @LoopActor func moreChartsThanABandHasRoomForAreRefusedInWords() async throws {
        let library = try await library(chart: 60_000_000)
        defer { library.close() }
        var ben = BandHead(device: BandDevice("bbbbbbbbbbbbbbbb"), counter: 1, person: "Ben", name: "laptop")
        ben.sets = (0..<3).map { number in
            let object = SHA256.digest(of: "\(number)")
            return .init(id: "s\(number)", object: object, length: 9, files: [.init(object: object, length: 50_000_000)])
        }
        let (head, sum) = try BandHead.read(ben.bytes)
        _ = try library.band.adopt(head, sum: sum, at: Samples.monday)
        let refused = await session.run("band", "share", "--set", "advent", "--with-charts", "--home", home)
        #expect(refused.code == .failed, "\(refused.messages)")
        #expect(refused.messages.contains("60 MB, and of the 200 MB that a band shares, 150 MB are taken"), "\(refused.messages)")
        #expect(try library.band.sharedSets() == [:])
    }
}
