import DemoService
import FoundationEssentials
import Glibc
import Library
import Model
import Platform
import StandInSupport
import TestSupport
import Testing

/// `woodshed sync`, `plans`, `log` and `accept`, as built, with the stand-in.
@Suite(.onLoop, .serialized)
struct SyncTests {
    fileprivate struct Summary: Decodable {
        struct Change: Decodable {
            let kind: String, sentence: String
        }
        let reach: String, changes: [Change], plans: Int, charts: Int, missing: Int, downloaded: Int, rendered: Int, bytes: Int
    }

    fileprivate struct Overview: Decodable {
        struct Plan: Decodable {
            struct Chart: Decodable {
                let id: String, here: Bool, pages: Int?
            }
            struct Held: Decodable {
                let charts_kept: Int, charts_told: Int
            }
            struct LeftOut: Decodable {
                let filename: String, reason: String
            }
            let id: String, charts: [Chart], held_back: Held?, gone_since: String?, unread_since: String?, left_out: [LeftOut]
        }
        let plans: [Plan], as_of: String?
    }

    @Test @LoopActor func firstSyncMakesEverythingReadyAndTheSecondChangesNothing() async throws {
        let place = try Place()
        let first = try await place.run("sync")
        #expect(first.exit == .code(0), "\(first.messages)")
        #expect(first.output.split(separator: "\n").count > 3, "a line for each change")
        #expect(!first.messages.contains("\r"), "no bars without a terminal")
        #expect(first.messages.contains("3 upcoming plans"))

        let linked = try Folder.names(in: place.home.path("music")).flatMap { try Folder.names(in: place.home.path("music/" + $0)) }
        #expect(linked.contains { $0.contains("Amazing Grace") && $0.hasSuffix(".pdf") }, "\(linked)")

        let second = try await place.run("sync")
        #expect(second.exit == .code(0), "\(second.messages)")
        #expect(second.output.isEmpty, "\(second.output)")

        let log = try await place.run("log", "--since", "1h")
        #expect(log.exit == .code(0))
        let sentences = first.output.split(separator: "\n").map(String.init)
        for sentence in sentences { #expect(log.output.contains(sentence)) }
    }

    @Test @LoopActor func editIsToldInOneLineAndJournalled() async throws {
        let place = try Place()
        _ = try await place.run("sync", "--plan", "next")
        try place.service.edit(.renamePlan(plan: "67810002", title: "Harvest"))
        try place.service.edit(.replaceChartWith(attachment: "79073916", other: "piano-album"))
        let summary = try await place.summary()
        #expect(summary.reach == "reached")
        #expect(summary.changes.contains { $0.kind == "chartReplaced" })
        let log = try await place.run("log", "--json")
        #expect(log.output.contains("\"kind\":\"chartReplaced\""))
    }

    /// A known plan or chart is found by its name; any other word may still be an id at the service.
    @Test @LoopActor func aPlanOrChartIsSyncedByItsName() async throws {
        let place = try Place()
        _ = try await place.run("sync", "--plan", "next")
        #expect(try await place.summary("--plan", "midweek").plans == 1)
        #expect(try await place.summary("--chart", "riverside").charts == 1)
        #expect(try await place.run("sync", "--plan", "sunday m").messages.contains("matches several plans"))
        let unknown = try await place.run("sync", "--plan", "nosuch")
        #expect(unknown.exit == .code(1) && unknown.messages.contains("no upcoming plan is called 'nosuch'"), "\(unknown.messages)")
    }

    @Test @LoopActor func nextPlanAloneIsMadeReady() async throws {
        let place = try Place()
        let summary = try await place.summary("--plan", "next")
        #expect(summary.plans == 1)
        #expect(summary.missing == 0)
        let overview = try await place.overview()
        #expect(overview.plans.count == 3, "every plan is known")
        #expect(overview.plans[0].charts.allSatisfy { $0.here && $0.pages ?? 0 > 0 })
        #expect(overview.plans[1].charts.isEmpty && overview.plans[1].unread_since != nil)
        #expect(overview.as_of == nil, "not all was asked")
        // The synced plan is ready, although the service has sent nothing about the other plans.
        let ready = try await place.run("ready")
        #expect(ready.exit == .code(0) && ready.output.contains("answered about this alone"), "\(ready.output)")
        let otherwise = try await place.run("ready", "--plans-ahead", "20d")
        #expect(otherwise.exit == .code(3), "it was asked with other settings: \(otherwise.output)")
        #expect(try await place.run("sync", "--plan", "next", "--plans-ahead", "20d").exit == .code(0))
        #expect(try await place.run("ready", "--plans-ahead", "20d").exit == .code(0))
        #expect(try await place.run("ready").exit == .code(3))
        #expect(try await place.run("ready", "--plan", "all").exit == .code(3))

        #expect(try await place.run("sync").exit == .code(0))
        #expect(try await place.overview().plans.allSatisfy { $0.unread_since == nil && $0.charts.allSatisfy(\.here) })
        let unknown = try await place.run("sync", "--plan", "nonsense")
        #expect(unknown.exit == .code(1))
        #expect(unknown.messages.contains("no upcoming plan is called 'nonsense'"))
    }

    @Test @LoopActor func shrunkenPlanIsHeldBackUntilItIsAccepted() async throws {
        let place = try Place()
        _ = try await place.run("sync")
        let before = try #require(try await place.overview().plans.first { $0.id == "67810002" })
        try place.service.edit(.shrinkPlan(plan: "67810002", keep: 2))
        let told = try await place.run("sync")
        #expect(told.output.contains("woodshed accept 67810002"), "\(told.output)")
        let held = try #require(try await place.overview().plans.first { $0.id == "67810002" })
        #expect(held.charts.count == before.charts.count)
        #expect(held.held_back?.charts_told == 1)
        let text = try await place.run("plans").output
        #expect(text.contains("held back: the service shows only 1 of the \(before.charts.count) charts"), "\(text)")
        #expect(text.contains("woodshed accept 67810002"), "\(text)")

        #expect(try await place.run("accept", "67810003").output.contains("nothing is held back"))
        let loss = "loses \(before.charts.count - 1) of \(before.charts.count) charts: "
        let dry = try await place.run("accept", "67810002", "--dry-run")
        let json = try await place.run("accept", "67810002", "--dry-run", "--json").output
        #expect(json.hasPrefix(#"{"schema":1,"#) && json.contains(loss), "\(json)")
        #expect(dry.exit == .code(0) && dry.output.contains(loss), "\(dry)")
        #expect(try await place.run("accept", "next", "--dry-run").output == dry.output, "it is the next one")
        let alone = try await place.run("accept", "67810002")
        #expect(alone.exit == .code(2) && alone.messages.contains(loss) && alone.messages.contains("add --yes"), "\(alone)")
        let program = try TypedProgram("woodshed", ["accept", "67810002", "--home", place.home.path])
        try await program.answer("Accept that? [y/N]", "")
        #expect(await program.child.exit() == .code(1))
        #expect(program.sees("Nothing was changed."), "\(program.screen)")
        #expect(try await place.overview().plans.first { $0.id == "67810002" }?.held_back != nil)

        let date = try #require(dry.output.split(separator: " ").first)
        let accepted = try await place.run("accept", String(date), "--yes", "--json")
        #expect(accepted.exit == .code(0), "\(accepted.messages)")
        #expect(accepted.output.hasPrefix(#"{"schema":1,"name":"67810002","accepted":["plan"],"#), "\(accepted.output)")
        let after = try #require(try await place.overview().plans.first { $0.id == "67810002" })
        #expect(after.charts.count == 1)
        #expect(after.held_back == nil)
    }

    /// The service gets three marks and a newer chart, then its old state with five other marks: the three marks and that chart stay.
    @Test @LoopActor func aServiceThatIsPutBackTakesNothingAwayUntilThatIsAccepted() async throws {
        let place = try Place()
        _ = try await place.run("sync")
        let former = place.service.state
        for _ in 0..<3 { try place.service.edit(.addMark(layer: "riverside-lead-117", page: 0, mark: nil)) }
        try place.service.edit(.replaceChartWith(attachment: "79073916", other: "piano-album"))
        #expect(try await place.run("sync").exit == .code(0))
        let before = try place.marks()
        try place.service.edit(.putBack(to: former))
        let dot = #"{"kind":"pen","points":[[0.1,0.1]]}"#
        for _ in 0..<5 { try place.service.edit(.addMark(layer: "riverside-lead-117", page: 0, mark: dot)) }

        let told = try await place.run("sync")
        #expect(told.exit == .code(3) && told.output.contains("older than here"), "\(told)")
        #expect(try place.marks() == before)
        let ready = try await place.run("ready")
        #expect(ready.exit == .code(3) && ready.output.contains("went back to an older state"), "\(ready)")
        #expect(ready.output.contains("woodshed accept"), "\(ready.output)")
        let (status, log) = (try await place.run("status").output, try await place.run("log").output)
        #expect(status.contains("Not ready"), "\(status)")
        #expect(log.contains("older than here") && log.contains("went back to an older state"), "\(log)")

        let marked = try await place.run("accept", "riverside", "--dry-run")
        #expect(marked.exit == .code(0) && marked.output.contains("gets older marks of others"), "\(marked)")
        for plan in try await place.overview().plans where plan.held_back != nil {
            let asked = try await place.run("accept", plan.id)
            let isTold = ["gets 1 chart in an older version: ", "gets older marks of others on "].contains { asked.messages.contains($0) }
            #expect(asked.exit == .code(2) && isTold, "\(asked)")
            #expect(try await place.run("accept", plan.id, "--yes").exit == .code(0))
        }
        let again = try await place.run("accept", "79073916")
        #expect(again.exit == .code(0) && again.output.contains("nothing left to accept"), "what was accepted stays so: \(again)")
        #expect(try await place.run("sync").exit == .code(0))
        #expect(try place.marks().count == before.count + 2)
        #expect(try await place.run("ready").exit == .code(0))
    }

    @Test @LoopActor func whatIsNotShownIsListedWithTheReason() async throws {
        let place = try Place()
        _ = try await place.run("sync", "--charts-exclude=*riverside*,piano*", "--charts-generated=")
        let left = try await place.overview().plans.flatMap(\.left_out)
        #expect(left.contains { $0.filename == "Holy, Holy, Holy on YouTube" && $0.reason == "not a PDF" })
        #expect(left.contains { $0.filename == "Piano Album.pdf" && $0.reason == "not chosen: exclude piano*" })
        #expect(left.contains { $0.reason.hasPrefix("not chosen: no generated charts") })
        let text = try await place.run("plans").output
        #expect(
            text.contains("  not shown: 3 files that are not PDFs (1 docx, 1 mp3, 1 other); 'woodshed plans --home"), "\(text)")
        #expect(!text.contains("not shown: not a PDF"))
        #expect(try await place.run("plans", "--all").output.contains("Holy, Holy, Holy on YouTube"))
        #expect(text.contains("not shown: not chosen: exclude *riverside*"))
    }

    @Test @LoopActor func exitCodesSayWhatThereIsToGoOnWith() async throws {
        // No program listens at the discard port.
        let nowhere = try Place(api: "http://127.0.0.1:9/services/v2")
        let nothing = try await nowhere.run("sync")
        #expect(nothing.exit == .code(1))
        #expect(nothing.messages.contains("cannot be reached"), "\(nothing.messages)")

        let place = try Place()
        #expect(try await place.run("plans").exit == .code(1), "no library yet")
        _ = try await place.run("sync", "--plan", "next")
        place.service.stop()
        #expect(try await place.run("sync").exit == .code(6))
        #expect(try await place.run("plans").exit == .code(0))

        let refused = try Place()
        try AtomicFile.write("woodshed-demo:geheim\n", to: refused.home.path("token"))
        let ending = try await refused.run("sync")
        #expect(ending.exit == .code(5))
        #expect(!(ending.output + ending.messages).contains("geheim"))
    }

    /// A plan that is over is removed only if the service confirms this machine's time in the same poll, because the clock may be
    /// wrong by years. A silent service confirms nothing.
    @Test(arguments: [true, false]) @LoopActor func whatIsOverIsLetGoOfAfterAPollThatToldAllAndNeverWithout(isAnswered: Bool) async throws {
        let place = try Place(api: isAnswered ? nil : "http://127.0.0.1:9/services/v2")
        let library = try Library(folder: place.home.path("data"))
        let (now, day) = (SystemClock().timestamp, Duration.seconds(86_400))
        let over = Plan(id: PlanID("1"), serviceType: ServiceTypeID("1"), firstTime: now - day * 90, lastTime: now - day * 90)
        try library.plans.update([PlanContents(plan: over, items: [])], at: now - day * 100)
        // An earlier poll, three days ago, already found the plan over at a time that the service confirmed.
        _ = try library.prune(now: now - day * 3, isTrusted: true)
        library.close()
        #expect(try await place.run("sync").exit == .code(isAnswered ? 0 : 1))
        let after = try Library(readingFrom: place.home.path("data"))
        #expect(try after.plans.all().contains { $0.plan.id == over.id } == !isAnswered)
    }

    @Test @LoopActor func runningAgentKeepsTheLock() async throws {
        let place = try Place()
        let agent = try Program("woodshed", ["agent", "--home", place.home.path])
        try await waitUntil { try agent.messagesSoFar().contains("asleep") }
        let sync = try await place.run("sync")
        #expect(sync.exit == .code(0), "the agent does it: \(sync.messages)")
        #expect(sync.messages.contains("The running agent (process \(agent.child.pid)) syncs"))
        let accept = try await place.run("accept", "67810002")
        #expect(accept.exit == .code(0) && accept.output.contains("nothing is held back for"), "\(accept)")
        let told = try await place.run("accept", "67810002", "--json")
        #expect(told.output.hasPrefix(#"{"schema":1,"name":"67810002","accepted":[],"#), "\(told.output)")
        #expect(try await place.run("plans").exit == .code(0), "who only reads needs no lock")
        #expect(try await place.run("log").exit == .code(0))
        #expect(try await place.run("pin", "67810002").exit == .code(0), "a pin is one small change")
        #expect(try await place.run("plans").output.contains("(plan 67810002), pinned"))
        #expect(try await place.run("unpin", "67810002").exit == .code(0))
        let doctor = try await place.run("doctor")
        #expect(doctor.output.contains("process \(agent.child.pid) is using this library"), "\(doctor.output)")
        agent.child.kill(SIGTERM)
        #expect(try await agent.result().exit == .code(0))
    }
}

extension Place {
    fileprivate func summary(_ words: String...) async throws -> SyncTests.Summary {
        let result = try await Program.run("woodshed", ["sync", "--json", "--home", home.path] + words)
        let lines = result.output.split(separator: "\n")
        for line in lines.dropLast() { #expect(line.hasPrefix(#"{"schema":1,"progress":{"step":"#), "\(line)") }
        #expect(lines.count > 1 || !words.isEmpty, "it tells how far it is: \(result.output)")
        return try JSONDecoder().decode(SyncTests.Summary.self, from: Data(try #require(lines.last).utf8))
    }

    /// The saved marks of the layer to which edits add marks.
    fileprivate func marks() throws -> [Mark] {
        let library = try Library(readingFrom: home.path("data"))
        defer { library.close() }
        return try library.plans.all().flatMap(\.attachments).flatMap { chart throws in try library.layers.all(of: chart.id) }
            .first { $0.id == LayerID("riverside-lead-117") }?.marks ?? []
    }

    fileprivate func overview() async throws -> SyncTests.Overview {
        try JSONDecoder().decode(SyncTests.Overview.self, from: Data(try await run("plans", "--json").output.utf8))
    }
}
