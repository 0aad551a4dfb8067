import Agent
import Catalogue
import CommandTestSupport
import DemoService
import Glibc
import Model
import PlanningCenter
import Platform
import StandInSupport
import Synchronization
import TestSupport
import Testing

@testable import CommandLine
@testable import Configuration
@testable import Host
@testable import Library
@testable import Sync

/// Notifications on the desktop, with a test program in the place of `notify-send`.
@Suite(.onLoop)
struct NotifyingTests {
    private let session: Session
    private let captured = CapturedOutput()
    private let lines = Lines()

    private final class Lines: Sendable {
        private let all = Mutex<[String]>([])

        var log: Log { Log { _, line in self.all.withLock { $0.append(line) } } }
        func count(containing text: String) -> Int { all.withLock { $0.count { $0.contains(text) } } }
    }

    init() throws {
        let folder = TemporaryFolder()
        session = Session([
            "HOME": folder.path, "XDG_RUNTIME_DIR": folder.path, "PATH": folder.path + "/bin:/usr/bin:/bin", "KEPT": "to ourselves",
        ])
        home = folder
        try AtomicFile.write("", to: folder.path("bus"))
        try Folder.create(folder.path("bin"))
        try desktop("for word; do printf '%s|' \"$word\"; done >> \(folder.path("shown")); echo >> \(folder.path("shown"))")
    }

    private let home: TemporaryFolder

    private func desktop(_ script: String) throws {
        let path = home.path("bin/notify-send")
        try AtomicFile.write("#!/bin/sh\n\(script)\n", to: path)
        chmod(path, 0o755)
    }

    /// The title and the text of each notification that was shown.
    private var shown: [String] {
        let text = String(decoding: (try? AtomicFile.read(home.path("shown"), limit: 1 << 20)) ?? [], as: UTF8.self)
        return text.split(separator: "\n").map { $0.split(separator: "|").suffix(2).joined(separator: ": ") }
    }

    @LoopActor private func assembly(
        of api: String = "https://service.test", _ settings: String = "", clock: any TimeKeeper = SystemClock()
    ) throws -> AgentAssembly {
        try Folder.create(home.path(".config/woodshed"))
        try AtomicFile.write(
            "render:\n  full_size: 200\n  thumbnail_size: 64\n\(settings)", to: home.path(".config/woodshed/woodshed.yaml"))
        let configuration = try Configuration.load(ConfigurationSources(environment: session.environment))
        return try AgentAssembly(
            configuration, account: Account(apiURL: api, annotationsURL: nil, credentials: DemoService.token, userAgent: "test"),
            context: CommandContext(output: captured.output, environment: session.environment, clock: clock), log: lines.log)
    }

    /// Stores a plan of these charts that begins in a week.
    @LoopActor private func keep(_ charts: [String], in library: Library, at time: Timestamp) throws {
        var contents = Samples.contents("1", attachments: charts.map { Samples.attachment($0) })
        (contents.plan.firstTime, contents.plan.lastTime) = (time + .seconds(7 * 86400), time + .seconds(7 * 86400 + 3600))
        try library.plans.update([contents], at: time)
    }

    @LoopActor private func download(_ charts: [String], to library: Library) throws {
        for chart in charts.map({ Samples.attachment($0) }) {
            let bytes = Array("%PDF-1.7\n\(chart.id)\n%%EOF\n".utf8)
            let file = try library.charts.beginChart()
            try bytes.withUnsafeBytes { try file.write($0) }
            try library.charts.keep(
                file, hash: Samples.hash(bytes), size: bytes.count, for: chart.id, madeFrom: chart.generatedFrom, version: chart.version)
        }
    }

    // MARK: - From the service to the desktop

    @Test @LoopActor func aChangedSetAndAReplacedChartAreShownOnce() async throws {
        let service = try StandIn.start()
        defer { service.stop() }
        @LoopActor func assembly() throws -> AgentAssembly {
            try self.assembly(of: service.apiURL, "account:\n  api_url: \(service.apiURL)\n  allow_http_loopback: true\n")
        }
        @LoopActor func round(_ assembly: AgentAssembly) async {
            let rounds = AgentRounds(assembly, log: lines.log, clock: assembly.clock, ending: Ending(output: captured.output))
            await rounds.finish(await assembly.agent.poll())
        }
        let first = try assembly()
        await round(first)
        #expect(shown == [], "a first sync is no news")
        let plan = try #require(try first.agent.plansKeptReady().first)
        let item = try #require(plan.items.last { !$0.attachments.isEmpty })
        let chart = try #require(plan.items.first { !$0.attachments.isEmpty }?.attachments.first)
        let other = try #require(plan.attachments.last)
        try await mark(chart, in: first)
        _ = try service.edit(.moveItem(item: item.id.text, position: 0))
        _ = try service.edit(.replaceChartWith(attachment: chart.id.text, other: other.id.text))
        await round(first)
        #expect(shown.count == 2)
        #expect(shown.first?.contains("A set has changed: \(plan.plan.displayName)") == true)
        #expect(shown.first?.hasSuffix("moved '\(item.title)'.") == true)
        #expect(shown.last?.hasPrefix("A chart with your marks was replaced: '\(chart.displayName)'") == true)
        await round(first)
        await first.stop()
        let second = try assembly()
        await round(second)
        await second.stop()
        #expect(shown.count == 2)
        #expect(lines.count(containing: "A set has changed") == 0, "the log has it in the words of the change")
        #expect(lines.count(containing: "A chart with your marks was replaced") == 1)
    }

    /// Saves a musician's own mark on the first page of a chart.
    @LoopActor private func mark(_ chart: Model.Attachment, in assembly: AgentAssembly) async throws {
        let path = assembly.data + "/annotations/mine.marks.json"
        try AtomicFile.write(MarkText.native(chart.id.text, [MarkText.Dot(page: 0, x: 0.5)]), to: path)
        assembly.agent.noteChange()
        await assembly.agent.settled()
    }

    // MARK: - When, and how often

    @Test @LoopActor func changesInQuietHoursWaitAndAreShownAtTheirEndIfTheyStillHold() async throws {
        let clock = HandClock()
        let assembly = try assembly(quiet(at: clock), clock: clock)
        let library = assembly.library
        let time = clock.timestamp
        try keep(["a"], in: library, at: time)
        try download(["a"], to: library)
        await assembly.notifying.notify(after: PollOutcome())
        let idle = clock.timerCount
        try keep(["a", "b"], in: library, at: time)
        await assembly.notifying.notify(after: PollOutcome())
        await assembly.notifying.notify(after: PollOutcome())
        #expect(shown == [] && clock.timerCount == idle + 1, "one timer, however often")
        try keep(["a"], in: library, at: time)
        await assembly.notifying.notify(after: PollOutcome())
        #expect(clock.timerCount == idle, "nothing is left to tell")
        try keep(["a", "c"], in: library, at: time)
        await assembly.notifying.notify(after: PollOutcome())
        clock.wallTime += .seconds(2 * 3600)
        clock.advance(by: .seconds(2 * 3600))
        try await waitUntil { shown.count == 1 }
        #expect(shown.first?.hasSuffix("added 'c'.") == true)
        await assembly.stop()
    }

    /// Settings that make the current hour and the next one quiet.
    @LoopActor private func quiet(at clock: HandClock) -> String {
        let now = LocalTime.secondOfDay(nanosecondsSinceEpoch: clock.timestamp.nanoseconds) / 3600
        func hour(_ hour: Int) -> String { (hour % 24 < 10 ? "0" : "") + "\(hour % 24):00" }
        return "notifications:\n  quiet_hours: \(hour(now))-\(hour(now + 2))\n"
    }

    @Test @LoopActor func whatWaitsIsShownByTheNextAgent() async throws {
        let clock = HandClock()
        let first = try assembly(quiet(at: clock), clock: clock)
        try keep(["a"], in: first.library, at: clock.timestamp)
        try download(["a"], to: first.library)
        await first.notifying.notify(after: PollOutcome())
        try keep(["a", "b"], in: first.library, at: clock.timestamp)
        await first.notifying.notify(after: PollOutcome())
        let settings = quiet(at: clock)
        await first.stop()
        #expect(shown == [])
        clock.wallTime += .seconds(2 * 3600)
        let second = try assembly(settings, clock: clock)
        await second.notifying.notify(after: PollOutcome())
        #expect(shown.count == 1)
        await second.stop()
    }

    @Test @LoopActor func whatTheDesktopCouldNotShowIsTriedAgainAfterTheNextPoll() async throws {
        let clock = SystemClock()
        let assembly = try assembly(clock: clock)
        try keep(["a"], in: assembly.library, at: clock.timestamp)
        try download(["a"], to: assembly.library)
        await assembly.notifying.notify(after: PollOutcome())
        try keep(["a", "b"], in: assembly.library, at: clock.timestamp)
        let works = try AtomicFile.read(home.path("bin/notify-send"), limit: 1 << 16)
        try desktop("echo 'nobody is there' >&2; exit 1")
        await assembly.notifying.notify(after: PollOutcome())
        await assembly.notifying.notify(after: PollOutcome())
        #expect(lines.count(containing: "notify-send ended with code 1: nobody is there") == 1)
        try AtomicFile.write(String(decoding: works, as: UTF8.self), to: home.path("bin/notify-send"))
        chmod(home.path("bin/notify-send"), 0o755)
        await assembly.notifying.notify(after: PollOutcome())
        await assembly.notifying.notify(after: PollOutcome())
        #expect(shown.count == 1)
        await assembly.stop()
    }

    /// A musician who turns notifications on later must not see outdated ones.
    @Test(arguments: [true, false]) @LoopActor func whereNothingIsShownNothingIsKeptForLater(isOff: Bool) async throws {
        if !isOff { unlink(home.path("bus")) }
        let assembly = try assembly(isOff ? "notifications:\n  enabled: false\n" : "")
        let clock = SystemClock()
        try keep(["a"], in: assembly.library, at: clock.timestamp)
        try download(["a"], to: assembly.library)
        await assembly.notifying.notify(after: PollOutcome())
        try keep(["a", "b"], in: assembly.library, at: clock.timestamp)
        await assembly.notifying.notify(after: PollOutcome())
        await assembly.stop()
        try AtomicFile.write("", to: home.path("bus"))
        let next = try self.assembly()
        await next.notifying.notify(after: PollOutcome())
        #expect(shown == [])
        await next.stop()
    }

    @Test @LoopActor func aCatalogueFromABackupTellsNothingThatWasToldBefore() async throws {
        let assembly = try assembly()
        let clock = SystemClock()
        let library = assembly.library
        try keep(["a"], in: library, at: clock.timestamp)
        try download(["a"], to: library)
        await assembly.notifying.notify(after: PollOutcome())
        try library.database.noteRestored(from: clock.timestamp)
        // Several polls bring back the missing charts, and only the last poll is answered in full.
        await assembly.notifying.notify(after: PollOutcome())
        try keep(["a", "b"], in: library, at: clock.timestamp)
        try download(["b"], to: library)
        await assembly.notifying.notify(after: PollOutcome())
        try library.recordPoll(at: clock.timestamp, now: true)
        await assembly.notifying.notify(after: PollOutcome())
        #expect(shown == [])
        try keep(["a"], in: library, at: clock.timestamp)
        await assembly.notifying.notify(after: PollOutcome())
        #expect(shown.count == 1 && shown.first?.hasSuffix("taken out 'b'.") == true)
        await assembly.stop()
    }

    // MARK: - The other occasions

    @Test @LoopActor func aPlanThatIsNotReadyADayBeforeIsShownOnceUntilItWasReady() async throws {
        let clock = HandClock()
        let assembly = try assembly(clock: clock)
        let library = assembly.library
        @LoopActor func tell(at time: Timestamp) async {
            clock.wallTime = .nanoseconds(time.nanoseconds)
            await assembly.notifying.notify(after: PollOutcome())
        }
        let begin = try #require(Samples.contents("1", attachments: []).plan.firstTime)
        @LoopActor func keep(_ charts: [String], at time: Timestamp) throws {
            try library.plans.update([Samples.contents("1", attachments: charts.map { Samples.attachment($0) })], at: time)
        }
        try keep(["a"], at: begin - .seconds(7 * 86400))
        await tell(at: begin - .seconds(86401))
        #expect(shown == [], "there is time left")
        await tell(at: begin - .seconds(86400))
        await tell(at: begin - .seconds(80000))
        #expect(shown.count == 1 && shown.first?.contains("The next plan is not ready: Plan 1, ") == true)
        #expect(lines.count(containing: "The next plan is not ready: Plan 1, ") == 1)
        // A plan without charts is ready once the service has sent it without charts for an hour.
        try keep([], at: begin - .seconds(80000))
        _ = try library.plans.acceptHeldBack(of: PlanID("1"), at: begin - .seconds(80000))
        try library.recordPoll(at: begin - .seconds(70000), now: true)
        await tell(at: begin - .seconds(70000))
        try keep(["b"], at: begin - .seconds(60000))
        await tell(at: begin - .seconds(60000))
        #expect(shown.count == 2)
        await assembly.stop()
    }

    /// A laptop that was just opened may have no network for a moment. So while the service has been unreachable for less than an
    /// hour, a plan that is not ready is shown only within six hours of its beginning.
    @Test(arguments: [(7, 0), (5, 1)]) @LoopActor func anotherHourMayBringWhatIsMissing(hours: Int64, count: Int) async throws {
        let assembly = try assembly(of: "http://127.0.0.1:1", "account:\n  allow_http_loopback: true\n")
        let now = SystemClock().timestamp
        var contents = Samples.contents("1", attachments: [Samples.attachment("a")])
        (contents.plan.firstTime, contents.plan.lastTime) = (now + .seconds(hours * 3600), nil)
        try assembly.library.plans.update([contents], at: now)
        let outcome = await assembly.agent.poll()
        #expect(outcome.reach == .offline)
        await assembly.notifying.notify(after: outcome)
        #expect(shown.count == count)
        await assembly.stop()
    }

    @Test @LoopActor func aRefusedTokenIsShownOnceUntilItIsAccepted() async throws {
        let assembly = try assembly()
        var refused = PollOutcome()
        refused.reach = .notAuthorised
        refused.setbacks = [Setback("service", "the token is not accepted")]
        var offline = PollOutcome()
        offline.reach = .offline
        for (outcome, count) in [(refused, 1), (offline, 1), (refused, 1), (PollOutcome(), 1), (refused, 2)] {
            await assembly.notifying.notify(after: outcome)
            #expect(shown == Array(repeating: "Your token is refused: The token is not accepted.", count: count))
        }
        await assembly.stop()
    }

    /// Other users can see a process's arguments and environment, so these must not reveal anything of the agent's.
    @Test @LoopActor func theProgramGetsOnlyWhatItNeeds() async throws {
        try desktop("env > \(home.path("shown"))")
        let assembly = try assembly()
        var refused = PollOutcome()
        refused.reach = .notAuthorised
        await assembly.notifying.notify(after: refused)
        let text = String(decoding: try AtomicFile.read(home.path("shown"), limit: 1 << 16), as: UTF8.self)
        #expect(text.contains("DBUS_SESSION_BUS_ADDRESS=unix:path=\(home.path("bus"))\n"))
        #expect(!text.contains("to ourselves"))
        await assembly.stop()
    }
}
