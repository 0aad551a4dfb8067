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
    private struct Statistics: Decodable {
        struct Count: Decodable {
            let images: Int, bytes: Int
        }
        struct Use: Decodable {
            let use: String, plan: String?, wanted: Int?, images: Int, bytes: Int
        }
        let images: Int, bytes: Int, uses: [Use]?, problem: String?, withheld: Int?
    }

    private struct Trim: Decodable {
        struct Removal: Decodable {
            let reason: String, use: String, plan: String?, images: Int, bytes: Int
        }
        let dry_run: Bool, images: Int, bytes: Int, removals: [Removal]
    }

    private struct Clear: Decodable {
        let images: Int, kept_charts: [String], made_again: Int?
    }

    private let home = TemporaryFolder()

    @LoopActor
    private func run(_ words: String..., program: String = "woodshed") async throws -> Program.Result {
        try await run(words, program: program)
    }

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

    private func decode<Value: Decodable>(_ result: Program.Result, _ code: Int32 = 0) throws -> Value {
        #expect(result.exit == .code(code), "\(result.messages)")
        return try JSONDecoder().decode(Value.self, from: Data(result.output.utf8))
    }

    @LoopActor
    private func statistics(program: String = "woodshed") async throws -> Statistics {
        try decode(try await run("cache", "stats", "--json", program: program))
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
        let statistics = try await statistics()
        #expect(try statistics.images == images().count)
        #expect(statistics.images > 60)
        let uses = try #require(statistics.uses)
        #expect(uses.reduce(0) { $0 + $1.bytes } == statistics.bytes)
        #expect(uses.count { $0.plan != nil } == 3)
        #expect(uses.allSatisfy { $0.images == $0.wanted ?? 0 })
        #expect(statistics.withheld == 0)

        // A program without a renderer beside it.
        let alone = home.path("woodshed")
        #expect(try await Program.run("/bin/cp", [Program.folder + "/woodshed", alone]).exit == .code(0))
        let without = try await self.statistics(program: alone)
        #expect(without.images == statistics.images)
        #expect(without.uses == nil)
        #expect(without.problem?.contains("the renderer does not start") == true)
    }

    @Test @LoopActor func trimGoesDownToTheSizeAndSaysSoBefore() async throws {
        try await demo()
        let before = try images().count
        let dry: Trim = try decode(try await run("cache", "trim", "--to", "100 kB", "--dry-run", "--json"))
        #expect(dry.dry_run)
        #expect(try images().count == before)
        let real: Trim = try decode(try await run("cache", "trim", "--to", "100 kB", "--json"))
        #expect(real.images == dry.images)
        #expect(real.removals.map(\.images) == dry.removals.map(\.images))
        #expect(real.removals.allSatisfy { $0.use == "plan" && $0.reason == "size" })
        #expect(try images().count == before - real.images)
        let statistics = try await statistics()
        #expect(statistics.bytes <= 100_000)
        #expect(statistics.bytes > 50_000, "no more than asked for")
        #expect(try events()[.trimmed] == real.images)
        // The farthest plan has nothing left, the nearest something.
        let plans = try #require(statistics.uses?.filter { $0.plan != nil })
        #expect(try #require(plans.first).images > 0)
        #expect(plans.last?.images == 0)
        let again: Trim = try decode(try await run("cache", "trim", "--to", "100 kB", "--json"))
        #expect(again.images == 0)
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

    @Test @LoopActor func whatIsClearedIsNamedAndRemembered() async throws {
        try await demo()
        let all = try images().count
        let chart: Clear = try decode(try await run("cache", "clear", "--chart", "riverside", "--json"))
        #expect(chart.images > 1)
        #expect(chart.made_again == chart.images)
        #expect(try images().count == all - chart.images)
        let plan: Clear = try decode(try await run("cache", "clear", "--plan", "next", "--json"))
        #expect(plan.images > 0)
        #expect(try images().count == all - chart.images - plan.images)
        // What is left is of other plans, whole.
        let rest = try #require(try await statistics().uses?.filter { $0.plan != nil }.dropFirst())
        #expect(rest.allSatisfy { $0.images == $0.wanted })
        let everything: Clear = try decode(try await run("cache", "clear", "--json"))
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
        #expect(trimmed.output.contains("Removed \(before.count) images"), "\(trimmed.output)")
        try await waitUntil { (try? self.images()) == before }
        demo.child.kill(SIGTERM)
        #expect(try await demo.result().exit == .code(0))
    }
}
