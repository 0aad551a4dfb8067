import Glibc
import Library
import Model
import Platform
import StandInSupport
import TestSupport
import Testing

/// Somebody deletes files from the cache while the built agent maintains it and pages are requested.
@Suite(.onLoop, .needs(.realTime))
struct CacheDeletionTests {
    /// How long files are deleted: a few seconds by default, WOODSHED_TEST_SECONDS on demand.
    private static let seconds = Asked.number("SECONDS", everyday: 2)
    private static let environment = ["WOODSHED_RENDER_FULL_SIZE=200", "WOODSHED_RENDER_THUMBNAIL_SIZE=64"]

    /// A page that can be requested.
    private struct Page: Hashable {
        let attachment: AttachmentID
        let number: Int
        let variant: Variant
    }

    @Test @LoopActor func everyAnswerIsARightPictureAndInTheEndAllIsThere() async throws {
        let demo = try StandIn.start()
        defer { demo.stop() }
        let home = try AgentHome(demo)
        let cache = CacheFiles(folder: home.folder.path("cache"))
        let agent = try home.start(Self.environment)
        try await AgentHome.untilAsleep(agent)
        let images = try cache.images()
        #expect(images.count > 60)
        let pages = try pages(home)
        var right: [Page: [UInt8]] = [:]
        for page in pages { right[page] = try await ask(for: page, home) }
        #expect(Set(right.values).count > pages.count / 2, "they can be told apart")

        var random = SeededGenerator(seed: 11)
        let clock = SystemClock()
        let end = clock.now + .seconds(Self.seconds)
        var (answers, deletions) = (0, 0)
        while clock.now < end {
            let some = (0..<2).map { _ in pages.randomElement(using: &random) ?? pages[0] }
            async let first = ask(for: some[0], home)
            async let second = ask(for: some[1], home)
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                delete(in: cache, &random)
                deletions += 1
                try await clock.sleep(for: .microseconds(Int.random(in: 0...30_000, using: &random)))
            }
            #expect(try await first == right[some[0]])
            #expect(try await second == right[some[1]])
            answers += 2
            // A file with its final name is whole, even in the middle of the deletions.
            for (path, bytes) in try cache.images() { #expect(bytes == images[path], "\(path)") }
        }
        try await waitUntil { try Set(cache.paths()) == Set(images.keys) }
        #expect(try cache.images() == images)
        #expect(try cache.temporaryFiles() == [])
        agent.child.kill(SIGTERM)
        let result = try await agent.result()
        #expect(result.exit == .code(0), "\(result.messages)")
        let troubles = result.messages.split(separator: "\n").filter { $0.contains("warning:") || $0.contains("error:") }
            .filter { !$0.contains("not embedded") }
        #expect(troubles == [], "after \(deletions) deletions")
        print("cache deletions: \(deletions) in \(Self.seconds) s, \(answers) pages asked for")
    }

    /// Removes a file, a chart's folder, all images or the whole cache.
    private func delete(in cache: CacheFiles, _ random: inout SeededGenerator) {
        let paths = ((try? cache.paths()) ?? []).sorted()
        guard let path = paths.randomElement(using: &random) else { return }
        let file = cache.folder + "/pages/" + path
        switch Int.random(in: 0..<20, using: &random) {
        case 0: remove(cache.folder)
        case 1, 2: remove(cache.folder + "/pages")
        case 3...7: remove(Folder.parent(of: file))
        default: unlink(file)
        }
    }

    private func remove(_ folder: String) {
        // The agent may put a file into the folder meanwhile, and then the folder stays, as after any rm -r.
        TemporaryFolder.empty(folder)
        rmdir(folder)
    }

    /// Some pages of all charts.
    @LoopActor
    private func pages(_ home: AgentHome) throws -> [Page] {
        let library = try Library(readingFrom: home.folder.path("data"))
        defer { library.close() }
        var pages: [Page] = []
        for attachment in try library.plans.all().flatMap(\.attachments) {
            guard let chart = try library.charts.chart(of: attachment.id),
                let count = try library.charts.description(of: chart.hash)?.pages.count
            else {
                continue
            }
            for page in 1...min(count, 2) {
                for variant in Variant.allCases { pages.append(Page(attachment: attachment.id, number: page, variant: variant)) }
            }
        }
        return pages
    }

    @LoopActor
    private func ask(for page: Page, _ home: AgentHome) async throws -> [UInt8] {
        let file = TemporaryFolder()
        let result = try await Program.run(
            "woodshed",
            [
                "why", page.attachment.text, "\(page.number)", "--variant", page.variant.rawValue, "--home", home.folder.path, "-o",
                file.path("page.png"),
            ], environment: Self.environment + ["WOODSHED_RENDER_WORKERS=1"])
        #expect(result.exit == .code(0), "\(result.messages)")
        #expect(!result.messages.contains("warning"), "\(result.messages)")
        let bytes = try AtomicFile.read(file.path("page.png"), limit: 1 << 26)
        #expect(PNGImage(bytes) != nil)
        return bytes
    }
}
