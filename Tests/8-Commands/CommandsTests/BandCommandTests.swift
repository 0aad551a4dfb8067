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
        try DemoAddress(try Configuration.load(sources).paths).write("http://127.0.0.1:1/")
        try Library(folder: home + "/data").close()
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
}
