import Catalogue
import CommandTestSupport
import Glibc
import Library
import Model
import Platform
import TestSupport
import Testing

@testable import CommandLine
@testable import Commands

@Suite(.onLoop)
struct PinCommandTests {
    private let session = Session()
    private var home: String { session.folder.path }
    private let harvest = PlanID("67810001")

    /// A library of plans that ended long ago.
    @LoopActor private func library() throws -> Library {
        let time = Timestamp(nanoseconds: 1_000_000_000_000_000_000)
        let plans = [("67810001", "Harvest\u{1B}[2J"), ("67810002", "Harvest again")].map { id, title in
            PlanContents(
                plan: Plan(
                    id: PlanID(id), serviceType: ServiceTypeID("1"), title: title, firstTime: time, lastTime: time + .seconds(3600)),
                items: [])
        }
        let library = try Library(folder: home + "/data")
        try library.plans.update(plans, at: time)
        return library
    }

    @Test @LoopActor func planIsPinnedAndUnpinnedBesideTheAgent() async throws {
        let library = try library()
        let lock = try AgentLock.take(in: library.folder)
        defer { withExtendedLifetime(lock) {} }

        let pinned = await session.run("pin", "67810001", "--home", home)
        #expect(pinned.code == .fine, "\(pinned.messages)")
        #expect(pinned.results.contains("(plan 67810001): pinned\n"))
        #expect(!pinned.results.contains("\u{1B}"))
        #expect(try library.plans.pinned() == [harvest])
        #expect(await session.run("pin", "67810001", "--home", home).results.contains("was already pinned"))

        // Both titles contain this word, but only one of the plans is pinned.
        let told = await session.run("pin", "67810001", "--json", "--home", home).results
        #expect(
            told.hasPrefix(#"{"schema":1,"plan":"67810001","title":"#) && told.hasSuffix(#""pinned":true,"changed":false}"# + "\n"),
            "\(told)")
        let unpinned = await session.run("unpin", "harvest", "--home", home)
        #expect(unpinned.code == .fine, "\(unpinned.messages)")
        #expect(unpinned.results.contains("(plan 67810001): no longer pinned\n"))
        #expect(try library.plans.pinned() == [])
        #expect(await session.run("unpin", "67810001", "--home", home).results.contains("was not pinned"))
    }

    @Test @LoopActor func theSameWordsTypedAgainPinNoOtherPlan() async throws {
        let library = try library()
        try library.plans.pin(harvest)
        let again = await session.run("pin", "harvest", "--home", home)
        #expect(again.code == .failed && again.messages.contains("matches several plans"), "\(again.messages)")
        #expect(try library.plans.pinned() == [harvest])
    }

    /// Without a running agent, the command itself must make the backup that keeps the pin.
    @Test @LoopActor func aPinOutlastsAnOlderCatalogueThatIsPutInPlace() async throws {
        try library().close()
        let catalogue = home + "/data/catalogue.sqlite"
        let older = try AtomicFile.read(catalogue, limit: 1 << 24)
        #expect(await session.run("pin", "67810001", "--home", home).code == .fine)
        for part in ["-wal", "-shm"] { unlink(catalogue + part) }
        try older.withUnsafeBytes { try AtomicFile.write($0, to: catalogue) }
        // This pin must not back up the older catalogue: that backup would then be the newest.
        #expect(await session.run("pin", "67810002", "--home", home).code == .fine)
        let library = try Library(folder: home + "/data")
        #expect(try library.plans.pinned() == [harvest, PlanID("67810002")])
        #expect(try Library.backups(in: library.folder).count == 1)
        library.close()
    }

    @Test @LoopActor func whatIsNoSinglePlanIsRefused() async throws {
        for command in [["pin", "next"], ["accept", "next"], ["layers", "x"]] {
            let nothing = await session.run(command + ["--home", home])
            #expect(nothing.code == .failed)
            #expect(nothing.messages.contains("nothing is set up yet: run 'woodshed setup"), "\(command) \(nothing.messages)")
        }

        let library = try library()
        let several = await session.run("pin", "harvest", "--home", home)
        #expect(several.code == .failed)
        #expect(several.messages.contains("matches several plans"))
        #expect(several.messages.contains("67810002  2001-09-09 Harvest again"))
        let unknown = await session.run("unpin", "easter", "--home", home)
        #expect(unknown.code == .failed)
        #expect(unknown.messages.contains("no plan here is called 'easter'"))
        let past = await session.run("pin", "next", "--home", home)
        #expect(past.code == .failed)
        #expect(past.messages.contains("there are no upcoming plans"))
        #expect(try library.plans.pinned() == [])
    }

    @Test @LoopActor func pinnedPlansAreListedWhateverTheirDate() async throws {
        let library = try library()
        #expect(await !session.run("plans", "--home", home).results.contains("67810001"))
        try library.plans.pin(harvest)
        let text = await session.run("plans", "--home", home).results
        #expect(text.contains("(plan 67810001), not upcoming, pinned\n"), "\(text)")
        #expect(!text.contains("67810002"))
        let json = await session.run("plans", "--all", "--json", "--home", home).results
        #expect(json.contains("\"pinned\":true"), "\(json)")
        #expect(json.contains("\"pinned\":false"))
    }
}
