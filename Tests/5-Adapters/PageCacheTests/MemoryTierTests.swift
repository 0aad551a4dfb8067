import Glibc
import Model
import Platform
import Synchronization
import TestSupport
import Testing

@testable import PageCache

/// Images kept in memory for the screen.
@Suite(.onLoop)
struct MemoryTierTests {
    /// Simulated files. They record each read, and can make readers wait until the test continues.
    private final class Files: Sendable {
        private struct State {
            var files: [ImageName: [UInt8]] = [:]
            var error: PageCacheError?
            var reads: [ImageName] = []
            var isOpen = true
        }

        private let state = Mutex(State())

        init(_ files: [ImageName: [UInt8]]) {
            state.withLock { $0.files = files }
        }

        var reads: [ImageName] { state.withLock { $0.reads } }

        func fail(with error: PageCacheError?) {
            state.withLock { $0.error = error }
        }

        func put(_ bytes: [UInt8], as name: ImageName) {
            state.withLock { $0.files[name] = bytes }
        }

        /// Makes readers wait or continue.
        func setOpen(_ isOpen: Bool) {
            state.withLock { $0.isOpen = isOpen }
        }

        func read(_ name: ImageName) throws(PageCacheError) -> [UInt8]? {
            state.withLock { $0.reads.append(name) }
            while !state.withLock({ $0.isOpen }) { sched_yield() }
            let (bytes, error) = state.withLock { ($0.files[name], $0.error) }
            if let error { throw error }
            return bytes
        }
    }

    private let names = (0..<6).map { Samples.name(page: $0) }

    private func filled(_ size: Int = 100) -> Files {
        Files(Dictionary(uniqueKeysWithValues: names.enumerated().map { ($1, [UInt8](repeating: UInt8($0), count: size)) }))
    }

    private func tier(_ files: Files, limit: Int = 300) -> MemoryTier {
        MemoryTier(limit: ByteCount(limit)) { name throws(PageCacheError) in try files.read(name) }
    }

    @Test @LoopActor func imageIsReadOnceAndHeldFromThenOn() async throws {
        let files = filled()
        let tier = tier(files)
        #expect(tier.held(names[1]) == nil)
        #expect(try await tier.bytes(of: names[1])?.first == 1)
        #expect(try await tier.bytes(of: names[1])?.first == 1)
        #expect(tier.held(names[1])?.count == 100)
        #expect(files.reads == [names[1]])
        #expect(tier.size == ByteCount(100))
    }

    @Test @LoopActor func requestsForAnImageOnItsWayShareOneReading() async throws {
        let files = filled()
        let tier = tier(files)
        files.setOpen(false)
        let name = names[3]
        let tasks = (0..<50).map { _ in spawn { try? await tier.bytes(of: name) } }
        try await waitUntil { files.reads.count == 1 }
        files.setOpen(true)
        for task in tasks { #expect(await task.value?.first == 3) }
        #expect(files.reads == [name])
        #expect(tier.size == ByteCount(100))
    }

    @Test @LoopActor func failureIsEverybodysAndIsNotRemembered() async throws {
        let files = filled()
        let tier = tier(files)
        let name = names[0]
        let failure = PageCacheError.system(SystemError("read", code: EIO))
        files.fail(with: failure)
        files.setOpen(false)
        let tasks = (0..<3).map { _ in
            spawn { () -> PageCacheError? in
                do throws(PageCacheError) {
                    _ = try await tier.bytes(of: name)
                    return nil
                } catch {
                    return error
                }
            }
        }
        try await waitUntil { files.reads.count == 1 }
        files.setOpen(true)
        for task in tasks { #expect(await task.value == failure) }
        files.fail(with: nil)
        #expect(try await tier.bytes(of: name)?.first == 0)
    }

    @Test @LoopActor func missIsAskedAboutAgain() async throws {
        let files = Files([:])
        let tier = tier(files)
        #expect(try await tier.bytes(of: names[0]) == nil)
        files.put([9], as: names[0])
        #expect(try await tier.bytes(of: names[0]) == [9])
        #expect(files.reads.count == 2)
    }

    @Test @LoopActor func showingReadsInOrderUpToTheLimit() async {
        let files = filled()
        let tier = tier(files)
        await tier.show([names[4], names[2], names[0], names[1], names[5]])
        // The fourth image did not fit any more, so the fifth, which is less important, was not read.
        #expect(files.reads == [names[4], names[2], names[0], names[1]])
        #expect(tier.names == [names[4], names[2], names[0]])
    }

    @Test @LoopActor func showingLetsGoOfTheRestAndReadsOnlyWhatIsMissing() async {
        let files = filled()
        let tier = tier(files)
        await tier.show([names[0], names[1], names[2]])
        await tier.show([names[1], names[2], names[3]])
        #expect(files.reads == [names[0], names[1], names[2], names[3]])
        #expect(tier.names == [names[1], names[2], names[3]])
    }

    @Test @LoopActor func whatCannotBeReadHoldsNothingElseUp() async {
        let files = Files([names[1]: [1]])
        let tier = tier(files)
        await tier.show([names[0], names[1]])
        #expect(tier.names == [names[1]])
    }

    @Test @LoopActor func laterShowingEndsAnEarlierOne() async throws {
        let files = filled()
        let tier = tier(files)
        files.setOpen(false)
        let (first, second) = ([names[0], names[1]], [names[2]])
        let earlier = spawn { _ = await tier.show(first) }
        try await waitUntil { files.reads.count == 1 }
        let later = spawn { _ = await tier.show(second) }
        spawn { files.setOpen(true) }
        await earlier.value
        await later.value
        #expect(tier.names == [names[2]])
        #expect(!files.reads.contains(names[1]))
    }

    @Test @LoopActor func whatWasOnItsWayWhenMemoryRanShortIsHandedOutButNotHeld() async throws {
        let files = filled()
        let tier = tier(files)
        _ = try await tier.bytes(of: names[1])
        files.setOpen(false)
        let name = names[0]
        let task = spawn { try? await tier.bytes(of: name) }
        try await waitUntil { files.reads.count == 2 }
        tier.empty()
        #expect(tier.size == ByteCount(0))
        files.setOpen(true)
        #expect(await task.value?.first == 0)
        #expect(tier.names.isEmpty)
    }

    @Test @LoopActor func whatWasLetGoOfIsReadAnew() async throws {
        let files = filled()
        let tier = tier(files)
        await tier.show([names[0], names[1]])
        tier.letGo(of: names[0])
        tier.letGo(of: names[5])
        #expect(tier.names == [names[1]] && tier.size == ByteCount(100))
        files.put([7], as: names[0])
        #expect(try await tier.bytes(of: names[0]) == [7])
        #expect(tier.held(names[0]) == [7], "it is still shown")
    }

    @Test @LoopActor func whatIsDamagedIsReportedAndNotHeld() async throws {
        let (files, damaged) = (filled(), names[1])
        let tier = MemoryTier(limit: ByteCount(300)) { name throws(PageCacheError) in
            guard name != damaged else { throw .damaged(name) }
            return try files.read(name)
        }
        #expect(await tier.show([names[0], names[1], names[2]]) == [names[1]])
        #expect(tier.names == [names[0], names[2]])
        await #expect(throws: PageCacheError.damaged(damaged)) { _ = try await tier.bytes(of: damaged) }
    }

    @Test @LoopActor func imageOverTheLimitIsHandedOutAndNotHeld() async throws {
        let tier = tier(filled(301))
        #expect(try await tier.bytes(of: names[0])?.count == 301)
        #expect(tier.size == ByteCount(0))
    }

    @Test @LoopActor func manyThreadsGetTheRightBytes() async {
        let files = filled()
        let tier = tier(files)
        let names = names
        let wrong = Mutex(0)
        let threads = (0..<4).map { _ in SideThread() }
        let tasks = threads.map { thread in
            spawn {
                await thread.run {
                    for round in 0..<5000 {
                        let index = round % names.count
                        if let bytes = tier.held(names[index]), bytes.first != UInt8(index) { wrong.withLock { $0 += 1 } }
                        if round % 100 == 0 { tier.empty() }
                    }
                }
            }
        }
        for round in 0..<200 { await tier.show([names[round % 6], names[(round + 1) % 6]]) }
        for task in tasks { await task.value }
        #expect(wrong.withLock { $0 } == 0)
        #expect(tier.size <= ByteCount(300))
    }
}

/// The contents of the tier, tested without threads.
@Suite(.timeLimit(.minutes(5)))
struct MemoryTierContentsTests {
    @Test func whatWasLongestUnaskedGoesFirst() {
        var contents = MemoryTierContents(limit: ByteCount(30))
        let names = (0..<4).map { Samples.name(page: $0) }
        for name in names[..<3] { contents.keep([UInt8](repeating: 0, count: 10), of: name, since: 0) }
        _ = contents.bytes(of: names[0])
        contents.keep([UInt8](repeating: 0, count: 10), of: names[3], since: 0)
        #expect(contents.names == [names[0], names[2], names[3]])
    }

    @Test func whatIsShownNeverGoesForWhatIsOnlyAskedFor() {
        var contents = MemoryTierContents(limit: ByteCount(20))
        let names = (0..<3).map { Samples.name(page: $0) }
        let bytes = [UInt8](repeating: 0, count: 10)
        contents.show([names[0], names[1]])
        // While there is room, the third image is kept. It then makes room for the first image, which is shown. No shown image
        // makes room for the third.
        let kept = [1, 2, 0, 2].map { contents.keep(bytes, of: names[$0], since: contents.revision) }
        #expect(kept == [true, true, true, false])
        #expect(contents.names == [names[0], names[1]])
    }

    @Test func whatWasBegunBeforeIsHeldOnlyIfItIsShownSince() {
        var contents = MemoryTierContents(limit: ByteCount(20))
        let names = (0..<2).map { Samples.name(page: $0) }
        let before = contents.revision
        contents.show([names[0]])
        let kept = names.map { contents.keep([1], of: $0, since: before) }
        #expect(kept == [true, false])
        contents.empty()
        let keptAfterwards = contents.keep([1], of: names[0], since: before)
        #expect(!keptAfterwards)
    }

    @Test(arguments: UInt64(0)..<200)
    func holdsNeverMoreThanTheLimitAndAlwaysTheMostImportant(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let limit = Int.random(in: 0...200, using: &random)
        let names = (0..<10).map { Samples.name(page: $0) }
        let sizes = names.map { _ in Int.random(in: 0...80, using: &random) }
        var contents = MemoryTierContents(limit: ByteCount(limit))
        var shown: [Int] = []
        for _ in 0..<200 {
            let index = Int.random(in: 0..<10, using: &random)
            let before = contents.names
            switch Int.random(in: 0..<12, using: &random) {
            case 0:
                contents.empty()
                shown = []
            case 1:
                shown = Array((0..<10).shuffled(using: &random).prefix(4))
                contents.show(shown.map { names[$0] })
                #expect(contents.names.isSubset(of: before.intersection(shown.map { names[$0] })))
            case 2...6:
                let isHeld = contents.bytes(of: names[index]) != nil
                #expect(isHeld == before.contains(names[index]))
            default:
                let bytes = [UInt8](repeating: UInt8(index), count: sizes[index])
                let isKept = contents.keep(bytes, of: names[index], since: contents.revision)
                #expect(isKept == contents.names.contains(names[index]))
                // Images are removed only to keep a new one that is at least as important.
                let gone = before.subtracting(contents.names)
                #expect(isKept || gone.isEmpty)
                let rank = shown.firstIndex(of: index) ?? 10
                for name in gone { #expect((shown.firstIndex { names[$0] == name } ?? 10) >= rank) }
            }
            let held = names.indices.filter { contents.names.contains(names[$0]) }
            #expect(contents.size == ByteCount(held.reduce(0) { $0 + sizes[$1] }))
            #expect(contents.size <= ByteCount(limit))
        }
    }
}
