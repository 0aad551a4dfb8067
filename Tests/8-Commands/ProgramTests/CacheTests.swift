import FoundationEssentials
import Glibc
import Library
import Model
import Platform
import TestSupport
import Testing

/// `woodshed cache` as built, on what `woodshed demo` made; no account is configured.
@Suite(.onLoop, .serialized)
struct CacheTests {
    private struct Report: Decodable {
        struct Use: Decodable {
            let use: String, plan: String?, reason: String?, images: Int, bytes: Int
        }
        struct State: Decodable {
            let images: Int, bytes: Int
        }
        let dry_run: Bool, images: Int, bytes: Int, uses: [Use]?, problem: String?, needed: Int?, kept_charts: [String], cache: State?
    }

    private let home = TemporaryFolder()

    @LoopActor
    private func run(_ words: String...) async throws -> Program.Result { try await run(words) }

    @LoopActor
    private func run(_ words: [String], program: String = "woodshed") async throws -> Program.Result {
        try await Program.run(
            program, words + ["--home", home.path],
            environment: ["WOODSHED_RENDER_FULL_SIZE=200", "WOODSHED_RENDER_THUMBNAIL_SIZE=64"])
    }

    @LoopActor
    private func demo() async throws {
        let result = try await run("demo", "--once")
        #expect(result.exit == .code(0), "\(result.messages)")
    }

    @LoopActor
    private func report(_ words: String..., program: String = "woodshed") async throws -> Report {
        let result = try await run(["cache"] + words + ["--json"], program: program)
        #expect(result.exit == .code(0), "\(result.messages)")
        return try JSONDecoder().decode(Report.self, from: Data(result.output.utf8))
    }

    /// The images' paths.
    private func images() throws -> [String] {
        let pages = home.path("cache/pages")
        return try Folder.names(in: pages).filter { ImageFolder($0) != nil }.flatMap { chart in
            try Folder.names(in: pages + "/" + chart).map { "\(pages)/\(chart)/\($0)" }
        }.filter { $0.hasSuffix(".png") }
    }

    @LoopActor
    private func events() throws -> [ImageEvent: Int] {
        let library = try Library(readingFrom: home.path("data"))
        defer { library.close() }
        return Dictionary(try library.images.records().map { ($0.event, 1) }, uniquingKeysWith: +)
    }

    /// Nothing was drawn yet: looking makes no folder.
    @Test @LoopActor func verifyingWithoutACacheMakesNone() async throws {
        let verified = try await run("cache", "verify")
        #expect(verified.exit == .code(0) && verified.output.contains("0 images intact"), "\(verified)")
        #expect(try Folder.names(in: home.path).isEmpty)
    }

    @Test @LoopActor func everyImageIsCountedForOnePlan() async throws {
        try await demo()
        let all = try await report("stats")
        #expect(try all.images == images().count)
        #expect(all.images > 60 && all.images == all.cache?.images && all.images == all.needed)
        let uses = try #require(all.uses)
        #expect(uses.reduce(0) { $0 + $1.bytes } == all.bytes)
        #expect(uses.count == 3 && uses.allSatisfy { $0.plan != nil })

        // A program without a renderer beside it.
        let alone = home.path("woodshed")
        #expect(try await Program.run("/bin/cp", [Program.folder + "/woodshed", alone]).exit == .code(0))
        let without = try await report("stats", program: alone)
        #expect(without.images == all.images)
        #expect(without.uses == nil)
        #expect(without.problem?.contains("the renderer does not start") == true)
    }

    @Test @LoopActor func trimGoesDownToTheSizeAndSaysSoBefore() async throws {
        try await demo()
        let before = try images().count
        let plans = try await report("stats").uses ?? []
        let dry = try await report("trim", "--to", "100 kB", "--dry-run")
        #expect(dry.dry_run)
        #expect(try images().count == before)
        let real = try await report("trim", "--to", "100 kB")
        #expect(real.images == dry.images)
        #expect(real.uses?.map(\.images) == dry.uses?.map(\.images))
        #expect(real.uses?.allSatisfy { $0.use == "plan" && $0.reason == "size" } == true)
        #expect(try images().count == before - real.images)
        let left = try await report("stats")
        #expect(left.bytes <= 100_000)
        #expect(left.bytes > 50_000, "no more than asked for")
        #expect(try events()[.trimmed] == real.images)
        // The farthest plan has nothing left, the nearest something.
        #expect(left.uses?.first?.plan == plans.first?.plan)
        #expect(left.uses?.contains { $0.plan == plans.last?.plan } == false)
        #expect(try await report("trim", "--to", "100 kB").images == 0)
    }

    @Test @LoopActor func badImagesAreRemovedAndRemembered() async throws {
        try await demo()
        let whole = try await run("cache", "verify")
        #expect(whole.exit == .code(0), "\(whole.output)")
        let images = try images()
        for path in images.prefix(2) { try AtomicFile.write("no image", to: path) }
        try AtomicFile.write("mine", to: home.path("cache/pages/Notes.txt"))
        let result = try await run("cache", "verify")
        #expect(result.exit == .code(3), "\(result.messages)")
        #expect(result.output.contains("\(images.count - 2) images intact, 2 bad, 1 other file"), "\(result.output)")
        #expect(result.output.contains("not made by Woodshed, left alone: Notes.txt"))
        #expect(try self.images().count == images.count - 2)
        #expect(access(home.path("cache/pages/Notes.txt"), F_OK) == 0)
        #expect(try events()[.corrupt] == 2)
        #expect(try await run("cache", "verify", "--json").exit == .code(0))
    }

    /// They are the only copy then, and can be played from.
    @Test @LoopActor func imagesOfAChartWhoseFileIsGoneStay() async throws {
        try await demo()
        let library = try Library(readingFrom: home.path("data"))
        defer { library.close() }
        let before = try await report("stats")
        let next = try #require(before.uses?.first?.plan)
        let attachment = try #require(try library.plans.plan(PlanID(next))?.attachments.first)
        let chart = try #require(try library.charts.chart(of: attachment.use)).hash
        let own = try images().filter { $0.contains("/" + ImageName.folder(of: chart) + "/") }
        #expect(unlink(library.charts.path(of: chart)) == 0 && !own.isEmpty)
        #expect(try await report("stats").uses?.map(\.images) == before.uses?.map(\.images), "they are still needed by their plan")
        let why = try await run("why", attachment.id.text, "1")
        #expect(why.output.contains(next) && !why.output.contains("No upcoming or pinned plan"), "\(why.output)")
        let trimmed = try await run("cache", "trim", "--to", "1 kB")
        #expect(trimmed.exit == .code(3) && trimmed.messages.contains("of charts whose files are not here"), "\(trimmed)")
        #expect(try images() == own)
        // Nor does anybody clear them: not all, not by their plan, not by their name. And those made for other marks stay, too.
        let other = try #require(own.last).replacing("-plain-", with: "-annotated-")
        try AtomicFile.write("former marks", to: other)
        for words in [["clear"], ["clear", "--plan", next]] {
            let cleared = try await run(["cache"] + words)
            #expect(cleared.exit == .code(0) && cleared.messages.contains("1 chart kept, since nobody could draw it again"), "\(cleared)")
        }
        let named = try await run("cache", "clear", "--chart", attachment.id.text)
        #expect(named.exit == .code(1) && named.messages.contains("is not here, so nobody could draw its images again"), "\(named)")
        #expect(try await run("cache", "trim", "--to", "1 kB").exit == .code(3))
        #expect(try Set(images()) == Set(own + [other]))
        let page = try await run("page", attachment.id.text, "1", "-o", home.path("page.png"))
        #expect(page.exit == .code(0), "\(page.messages)")
    }

    /// What is in it may be broken, or be all that is in the way: neither is said to be well.
    @Test @LoopActor func aFolderThatCannotBeListedIsToldAndNothingIsWell() async throws {
        try await demo()
        let closed = Folder.parent(of: try #require(try images().first))
        let hidden = try images().filter { Folder.parent(of: $0) == closed }
        chmod(closed, 0)
        defer { chmod(closed, 0o700) }
        for words in [["verify"], ["stats"], ["trim", "--to", "1 kB"], ["clear"]] {
            let result = try await runAsOthers(["cache"] + words)
            #expect(result.exit == .code(3), "\(words): \(result.output)\(result.messages)")
            #expect((result.output + result.messages).contains(closed), "\(words): \(result.output)\(result.messages)")
        }
        // The folder of images may be on another disk.
        let elsewhere = home.path("elsewhere")
        let place = Folder.parent(of: closed)
        try FileManager.default.moveItem(atPath: place, toPath: elsewhere)
        try FileManager.default.createSymbolicLink(atPath: place, withDestinationPath: elsewhere)
        let doctor = try await runAsOthers(["doctor", "--offline"])
        #expect(doctor.exit == .code(3) && doctor.output.contains("you cannot read and write \(closed)"), "\(doctor.output)")
        unlink(place)
        try FileManager.default.moveItem(atPath: elsewhere, toPath: place)
        chmod(closed, 0o700)
        #expect(try images() == hidden, "only those are left that nobody could see")
        #expect(try await run("cache", "verify").exit == .code(0))
    }

    /// Root, too, may then only list what its permissions say.
    @LoopActor
    private func runAsOthers(_ words: [String]) async throws -> Program.Result {
        guard geteuid() == 0 else { return try await run(words) }
        let without = ["--bounding-set=-dac_override,-dac_read_search", Program.folder + "/woodshed"]
        return try await run(without + words, program: "/usr/bin/setpriv")
    }

    @Test @LoopActor func whatIsClearedIsNamedAndRemembered() async throws {
        try await demo()
        let all = try images().count
        let next = try #require(try await report("stats").uses?.first?.plan)
        let chart = try await report("clear", "--chart", "riverside")
        #expect(chart.images > 1)
        #expect(chart.needed == chart.images)
        #expect(try images().count == all - chart.images)
        let others = try #require(try await report("stats").uses).filter { $0.plan != next }.map(\.images)
        let plan = try await report("clear", "--plan", "next")
        #expect(plan.images > 0)
        #expect(try images().count == all - chart.images - plan.images)
        // What is left of other plans is all of it.
        #expect(try #require(try await report("stats").uses).filter { $0.plan != next }.map(\.images) == others)
        let everything = try await report("clear")
        #expect(everything.images == all - chart.images - plan.images)
        #expect(try images() == [])
        #expect(try events()[.cleared] == all)
    }

    @Test @LoopActor func besideARunningAgentItIsLookedAtAndOnlyTheAgentTrims() async throws {
        let demo = try Program(
            "woodshed", ["demo", "--home", home.path],
            environment: ["WOODSHED_RENDER_FULL_SIZE=200", "WOODSHED_RENDER_THUMBNAIL_SIZE=64"])
        try await waitUntil { try demo.messagesSoFar().contains("Ctrl-C ends the demo.") }
        let before = try images()
        let refused = try await run("cache", "clear")
        #expect(refused.exit == .code(7), "\(refused.messages)")
        #expect(refused.messages.contains("(process \(demo.child.pid))"), "\(refused.messages)")
        for words in [["stats"], ["verify"], ["trim", "--to", "1 kB", "--dry-run"]] {
            let result = try await run(["cache"] + words)
            #expect(result.exit == .code(0), "\(result.messages)")
        }
        #expect(try images() == before)

        // The agent does it, and makes again what its plans need.
        let trimmed = try await run("cache", "trim", "--to", "1 kB")
        #expect(trimmed.exit == .code(0), "\(trimmed.messages)")
        #expect(trimmed.output.contains("removed \(before.count) images"), "\(trimmed.output)")
        try await waitUntil { (try? self.images()) == before }
        demo.child.kill(SIGTERM)
        #expect(try await demo.result().exit == .code(0))
    }
}
