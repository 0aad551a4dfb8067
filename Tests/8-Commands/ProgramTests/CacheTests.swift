import FoundationEssentials
import Glibc
import Library
import Model
import Platform
import TestSupport
import Testing

/// `woodshed cache` as built, on the cache of `woodshed demo`; no account is configured.
@Suite(.onLoop, .serialized)
struct CacheTests {
    private struct Report: Decodable {
        let images: Int, kept_charts: [String]
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
    private func clear(_ words: String...) async throws -> Report {
        let result = try await run(["cache", "clear"] + words + ["--json"])
        #expect(result.exit == .code(0), "\(result.messages)")
        return try JSONDecoder().decode(Report.self, from: Data(result.output.utf8))
    }

    /// The paths of all images.
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

    /// Before anything was drawn, there is no cache, and a check must not create its folder.
    @Test @LoopActor func verifyingWithoutACacheMakesNone() async throws {
        let verified = try await run("cache", "verify")
        #expect(verified.exit == .code(0) && verified.output.contains("0 images intact"), "\(verified)")
        #expect(try Folder.names(in: home.path).isEmpty)
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

    /// If the file of a chart is gone, its images are the only copy of the chart, and musicians can still play from them.
    @Test @LoopActor func imagesOfAChartWhoseFileIsGoneStay() async throws {
        try await demo()
        let library = try Library(readingFrom: home.path("data"))
        defer { library.close() }
        let plan = try #require(try plans(library).first)
        let attachment = try #require(plan.attachments.first)
        let chart = try #require(try library.charts.chart(of: attachment.use)).hash
        let own = try images().filter { $0.contains("/" + ImageName.folder(of: chart) + "/") }
        #expect(unlink(library.charts.path(of: chart)) == 0 && !own.isEmpty)
        let why = try await run("why", attachment.id.text, "1")
        #expect(why.output.contains("(plan \(plan.plan.id))") && !why.output.contains("No upcoming or pinned plan"), "\(why.output)")
        // No command clears these images, whether by all, by plan or by name; images made for other marks stay, too.
        let other = try #require(own.last).replacing("-plain-", with: "-annotated-")
        try AtomicFile.write("former marks", to: other)
        for words in [["clear"], ["clear", "--plan", plan.plan.id.text]] {
            let cleared = try await run(["cache"] + words)
            #expect(cleared.exit == .code(0) && cleared.messages.contains("1 chart kept, since nobody could draw it again"), "\(cleared)")
        }
        let named = try await run("cache", "clear", "--chart", attachment.id.text)
        #expect(named.exit == .code(1) && named.messages.contains("is not here, so nobody could draw its images again"), "\(named)")
        #expect(try Set(images()) == Set(own + [other]))
        let page = try await run("why", attachment.id.text, "1", "-o", home.path("page.png"))
        #expect(page.exit == .code(0), "\(page.messages)")
    }

    /// A folder that cannot be listed may contain broken images, or may be the only fault: no command reports success.
    @Test @LoopActor func aFolderThatCannotBeListedIsToldAndNothingIsWell() async throws {
        try await demo()
        let closed = Folder.parent(of: try #require(try images().first))
        let hidden = try images().filter { Folder.parent(of: $0) == closed }
        chmod(closed, 0)
        defer { chmod(closed, 0o700) }
        for words in [["verify"], ["clear"]] {
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

    /// Runs a command without root's right to ignore permissions.
    @LoopActor
    private func runAsOthers(_ words: [String]) async throws -> Program.Result {
        guard geteuid() == 0 else { return try await run(words) }
        let without = ["--bounding-set=-dac_override,-dac_read_search", Program.folder + "/woodshed"]
        return try await run(without + words, program: "/usr/bin/setpriv")
    }

    @Test @LoopActor func whatIsClearedIsNamedAndRemembered() async throws {
        try await demo()
        let all = try images().count
        let chart = try await clear("--chart", "riverside")
        #expect(chart.images > 1)
        #expect(try images().count == all - chart.images)
        let others = try imagesOfLaterPlans()
        let plan = try await clear("--plan", "next")
        #expect(plan.images > 0 && !plan.kept_charts.isEmpty)
        #expect(try images().count == all - chart.images - plan.images)
        #expect(try imagesOfLaterPlans() == others, "what is left of other plans is all of it")
        let everything = try await clear()
        #expect(everything.images == all - chart.images - plan.images)
        #expect(try images() == [])
        #expect(try events()[.cleared] == all)
    }

    /// The library's plans, the nearest first.
    @LoopActor
    private func plans(_ library: Library) throws -> [PlanContents] {
        try library.plans.all().sorted { ($0.plan.firstTime?.nanoseconds ?? .max) < ($1.plan.firstTime?.nanoseconds ?? .max) }
    }

    /// The images of all charts in plans after the next one.
    @LoopActor
    private func imagesOfLaterPlans() throws -> [String] {
        let library = try Library(readingFrom: home.path("data"))
        defer { library.close() }
        let later = try plans(library).dropFirst().flatMap(\.attachments)
        let folders = try Set(later.compactMap { try library.charts.chart(of: $0.use).map { ImageName.folder(of: $0.hash) } })
        return try images().filter { path in folders.contains { path.contains("/\($0)/") } }
    }

    @Test @LoopActor func besideARunningAgentItIsOnlyLookedAt() async throws {
        let demo = try Program(
            "woodshed", ["demo", "--home", home.path],
            environment: ["WOODSHED_RENDER_FULL_SIZE=200", "WOODSHED_RENDER_THUMBNAIL_SIZE=64"])
        try await waitUntil { try demo.messagesSoFar().contains("Ctrl-C ends the demo.") }
        let before = try images()
        let refused = try await run("cache", "clear")
        #expect(refused.exit == .code(7), "\(refused.messages)")
        #expect(refused.messages.contains("(process \(demo.child.pid))"), "\(refused.messages)")
        #expect(try await run("cache", "verify").exit == .code(0))
        #expect(try images() == before)
        demo.child.kill(SIGTERM)
        #expect(try await demo.result().exit == .code(0))
    }
}
