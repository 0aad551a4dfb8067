import Glibc
import Platform
import TestSupport
import Testing

/// Sets of one's own with the programs as built, without an account.
@Suite(.onLoop)
struct SetsTests {
    private let home = TemporaryFolder()
    private var sets: String { home.path("My Sets") }

    /// A day from now, by the local calendar.
    private func day(in days: Int) -> String {
        LocalTime.date(nanosecondsSinceEpoch: (Int64(time(nil)) + Int64(days) * 86_400) * 1_000_000_000)
    }

    private func put(_ score: String, _ path: String) throws {
        try Folder.create(Folder.parent(of: sets + "/" + path))
        let bytes = try AtomicFile.read("\(Repository.path)/Sources/1-Embedded/DemoScores/charts/\(score)", limit: 1 << 24)
        let written = bytes.withUnsafeBytes { bytes in
            Result { () throws(SystemError) in try AtomicFile.write(bytes, to: sets + "/" + path) }
        }
        try written.get()
    }

    private func write(_ path: String, _ text: String) throws {
        try Folder.create(Folder.parent(of: sets + "/" + path))
        try AtomicFile.write(text, to: sets + "/" + path)
    }

    private func configure() throws {
        try Folder.create(home.path("config"))
        try AtomicFile.write(
            "plans:\n  folders: [\"\(sets)\"]\nrender:\n  full_size: 200\n  thumbnail_size: 64\n", to: home.path("config/woodshed.yaml"))
    }

    @LoopActor private func run(_ words: String...) async throws -> Program.Result {
        try await Program.run("woodshed", words + ["--home", home.path])
    }

    @Test @LoopActor func aFolderAndADateAreAPlanThatIsReady() async throws {
        try configure()
        try put(Self.scores[0], "\(day(in: 3)) 1030 Communion/1 Grace.pdf")
        try put(Self.scores[1], "Songbook/Abide With Me.pdf")
        try write("Songbook/Vision.cho", "{title: Vision}\n{key: G}\n[G]Be thou my vision\n")
        try write("\(day(in: 10)) Advent.txt", "Abide with me\nVision (A)\n")
        let sync = try await run("sync")
        #expect(sync.exit == .code(0), "\(sync)")
        let ready = try await run("ready")
        #expect(ready.exit == .code(0) && ready.output.contains("Communion"), "\(ready)")
        let plans = try await run("plans")
        #expect(plans.output.contains("Communion") && plans.output.contains("Advent") && plans.output.contains("Vision"), "\(plans)")
        #expect(try await run("export", "advent", "-o", home.path("advent.pdf")).exit == .code(0))
    }

    @Test @LoopActor func aLineWithoutAChartIsNamedAndNotReady() async throws {
        try configure()
        try write("\(day(in: 3)).txt", "Nobody Knows This\n")
        _ = try await run("sync")
        let ready = try await run("ready")
        #expect(ready.exit == .code(3) && ready.output.contains("line 1: no chart here has this title"), "\(ready)")
    }

    @Test(.needs(.realTime)) @LoopActor func aFolderIsShownWithoutAnySetUp() async throws {
        try put(Self.scores[0], "\(day(in: 3))/1 Grace.pdf")
        let agent = try Program("woodshed", ["open", sets, "--home", home.path, "--render-full-size=200"])
        try await waitUntil { try agent.outputSoFar().contains("/open?secret=") }
        let messages = try agent.messagesSoFar()
        #expect(messages.contains("plans:\n  folders: [\"\(sets)\"]"), "\(messages)")
        try await waitUntil { try await run("ready", "--plans-folders=\(sets)", "--render-full-size=200").exit == .code(0) }
        try put(Self.scores[1], "\(day(in: 3))/2 New.pdf")
        try await waitUntil { try await run("plans", "--plans-folders=\(sets)", "--render-full-size=200").output.contains("New") }
        agent.child.kill(SIGINT)
        let result = try await agent.result()
        #expect(result.exit == .code(0) || result.exit == .code(130), "\(result)")
    }

    /// The first start of all stores where the links are made, which must not look like another configuration: whoever waits for the
    /// address would get none.
    @Test @LoopActor func theFirstStartOfAllPrintsTheAddress() async throws {
        try put(Self.scores[0], "\(day(in: 3))/1 Grace.pdf")
        // Its home folder is empty.
        let agent = try Program("woodshed", ["open", sets, "--render-full-size=200"])
        try await waitUntil { try agent.outputSoFar().contains("/open?secret=") }
        try await waitUntil { try agent.messagesSoFar().contains("asleep") }
        #expect(try !agent.messagesSoFar().contains("reloading"))
        agent.child.kill(SIGINT)
        _ = try await agent.result()
    }

    private static let scores =
        (try? Folder.names(in: "\(Repository.path)/Sources/1-Embedded/DemoScores/charts").filter { $0.hasSuffix(".pdf") }) ?? []
}
