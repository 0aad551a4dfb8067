import Glibc
import Library
import Model
import PageCache
import Platform
import TestSupport
import Testing

@testable import Agent

/// Images whose files were damaged, on a simulated clock and renderer.
@Suite(.onLoop)
struct DamagedImageTests {
    private static let plan = SmallService.Plan(
        id: "1", startsAt: "2026-11-22T10:00:00Z",
        charts: [SmallService.Chart(id: "a", name: "Song", bytes: SmallService.pdf("a"))])
    private let chart = AttachmentID("a")

    /// A stage with two pages: every image is rendered, and none is in memory.
    @LoopActor
    private func ready() async throws -> Stage {
        let stage = try Stage([Self.plan])
        await stage.sync()
        _ = stage.newJobs()
        #expect(stage.cache.present().count == 4)
        return stage
    }

    @LoopActor
    private func plain(_ page: Int, in stage: Stage) throws -> ImageName {
        try #require(stage.cache.present().first { $0.page == PageIndex(page) && $0.variant == .plain })
    }

    /// Flips the bits of a byte in the middle of an image; its beginning and end stay whole.
    @LoopActor
    private func damage(_ name: ImageName, in stage: Stage) throws {
        let path = stage.cache.path(of: name)
        var bytes = try AtomicFile.read(path, limit: 1 << 20)
        bytes[bytes.count / 2] ^= 0xFF
        let file = try Descriptor.open(path, O_WRONLY)
        try bytes.withUnsafeBytes { try file.write($0) }
        #expect(stage.cache.serves(name), "nothing is to be seen without looking at every byte")
    }

    @LoopActor
    private func isWhole(_ name: ImageName, in stage: Stage) -> Bool { (try? stage.cache.loadIntact(name)).flatMap { $0 } != nil }

    /// Lets work finish that does not wait for the clock.
    private func rest() async { for _ in 0..<200 { await Task.yield() } }

    @Test @LoopActor func aDamagedPageIsDrawnInsteadOfShown() async throws {
        let stage = try await ready()
        let name = try plain(0, in: stage)
        try damage(name, in: stage)
        let shown = try await stage.clock.run { try await stage.agent.showing.select(chart: chart, page: PageIndex(0), isMarked: true) }
        #expect(shown.name == name && shown.source == .rendered)
        #expect(try stage.cache.loadIntact(name) == shown.bytes)
        await stage.settleAsTold()
        #expect(try await stage.agent.planTable().isComplete)
        #expect(stage.logged.contains { $0.contains("was damaged") })
        #expect(try await stage.agent.showing.select(chart: chart, page: PageIndex(0), isMarked: true).source == .memory)
    }

    @Test @LoopActor func theNextPageIsMendedBeforeItIsTurnedTo() async throws {
        let stage = try await ready()
        let name = try plain(1, in: stage)
        try damage(name, in: stage)
        #expect(try await stage.agent.showing.select(chart: chart, page: PageIndex(0), isMarked: true).source == .disk)
        await rest()
        #expect(stage.agent.memory.held(name) == nil)
        await stage.settleAsTold()
        await rest()
        #expect(isWhole(name, in: stage))
        #expect(try await stage.agent.showing.select(chart: chart, page: PageIndex(1), isMarked: true).source == .memory)
    }

    @Test @LoopActor func anImageAskedForByNameIsMended() async throws {
        let stage = try await ready()
        let name = try plain(1, in: stage)
        try damage(name, in: stage)
        let shown = try await stage.clock.run { try await stage.agent.showing.image(named: name) }
        #expect(shown.source == .rendered && isWhole(name, in: stage))
    }

    @Test @LoopActor func memoryLetsGoOfWhatWasRemovedOrMadeAnew() async throws {
        let stage = try await ready()
        let (memory, name) = (stage.agent.memory, try plain(0, in: stage))
        func hold() async throws { #expect(try await memory.bytes(of: name) != nil && memory.held(name) != nil) }

        try await hold()
        try damage(name, in: stage)
        #expect(await stage.cache.verify([name]).bad == [name])
        #expect(memory.held(name) == nil, "removed as corrupt")
        await stage.settle()

        try await hold()
        unlink(stage.cache.path(of: name))
        #expect(stage.cache.noteRemoved(path: stage.cache.path(of: name)))
        #expect(memory.held(name) == nil, "vanished")
        await stage.settle()

        try await hold()
        let bytes = try AtomicFile.read(stage.cache.path(of: name), limit: 1 << 20)
        let file = try stage.cache.begin(name)
        try bytes.withUnsafeBytes { try file.write($0) }
        try stage.cache.publish(file, as: name)
        #expect(memory.held(name) == nil, "published anew")

        try await hold()
        _ = await stage.cache.trim([name])
        #expect(memory.held(name) == bytes, "that one was as it should be")
    }

    @Test @LoopActor func aReportedImageIsCheckedAndMadeAgain() async throws {
        let stage = try await ready()
        let (name, other) = (try plain(0, in: stage), try plain(1, in: stage))
        #expect(await !stage.agent.showing.checkDamage(of: other), "it is whole")
        #expect(isWhole(other, in: stage) && stage.newJobs().isEmpty)
        try damage(name, in: stage)
        #expect(await stage.agent.showing.checkDamage(of: name))
        await stage.settleAsTold()
        #expect(isWhole(name, in: stage) && stage.newJobs().count == 1)
        let records = try stage.library.images.records().filter { $0.name == name }
        #expect(records.map(\.event) == [.made])
        let unknown = try #require(ImageName(folder: name.chart, file: "7-plain-00000000000000000000000000000000.png"))
        #expect(await !stage.agent.showing.checkDamage(of: unknown))
    }

    @Test @LoopActor func whatWasCheckedIsLeftAloneForAWhile() async throws {
        let stage = try await ready()
        let name = try plain(0, in: stage)
        try damage(name, in: stage)
        #expect(await stage.agent.showing.checkDamage(of: name))
        await stage.settleAsTold()
        try damage(name, in: stage)
        await stage.wait(for: .seconds(50))
        #expect(await !stage.agent.showing.checkDamage(of: name))
        #expect(!isWhole(name, in: stage))
        await stage.wait(for: .seconds(11))
        #expect(await stage.agent.showing.checkDamage(of: name))
        await stage.settleAsTold()
        #expect(isWhole(name, in: stage))
    }

    @Test @LoopActor func oneImageIsCheckedAtATimeAndOnceForAllWhoAsk() async throws {
        let (mending, clock) = (Mending(), SimulatedClock())
        let names = (0..<3).compactMap {
            ImageName(folder: String(repeating: "a", count: 32), file: "\($0)-plain-00000000000000000000000000000000.png")
        }
        #expect(names.count == 3)
        var (running, most, begun) = (0, 0, [ImageName]())
        let tasks = (names + names).map { name in
            spawn {
                await mending.check(name, clock) {
                    running += 1
                    most = max(most, running)
                    begun.append(name)
                    for _ in 0..<10 { await Task.yield() }
                    running -= 1
                    return name != names[2]
                }
            }
        }
        var answers: [Bool] = []
        for task in tasks { answers.append(await task.value) }
        #expect(most == 1 && begun.sorted() == names)
        #expect(answers == [true, true, false, true, true, false])
    }

    /// Every image is damaged as soon as it is made, as on a bad disk or by a faulty renderer.
    @Test @LoopActor func whatCannotBeMendedIsShownAllTheSameAndNotMadeForever() async throws {
        let stage = try await ready()
        let name = try plain(0, in: stage)
        stage.renderer.isSpoilt = true
        try damage(name, in: stage)
        for _ in 0..<3 {
            let shown = try await stage.clock.run { try await stage.agent.showing.select(chart: chart, page: PageIndex(0), isMarked: true) }
            #expect(shown.source == .rendered)
            await stage.settleAsTold()
        }
        #expect(stage.newJobs().count < 12)
    }
}

extension PageCache {
    fileprivate func serves(_ name: ImageName) -> Bool { load(name) != nil }
}
