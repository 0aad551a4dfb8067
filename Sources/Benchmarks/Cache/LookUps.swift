import BenchmarkCorpus
import Glibc
import Model
import PageCache
import Platform
import Synchronization

/// What looking up images costs: the median of many look-ups, in microseconds.
struct LookUpCosts: Sendable {
    private static let draws = 20_000
    /// No measured cache has fewer images than this.
    private static let someNames = 1000

    /// Asking whether an image is known to be there.
    let contains: Double
    /// Asking whether it is there and intact, on the loop.
    let look: Double
    /// Opening it to be shown, from any thread.
    let use: Double
    /// `look`, but each time for a different image.
    let spread: Double
    /// The system's share of that: open, fstat, two reads, close.
    let spreadSystem: Double

    /// Looks up a thousand images from all over the cache again and again, the same number for every cache size. So they are
    /// equally likely to be in the processor's caches, and only the number of other images differs. Then looks up any images.
    @LoopActor
    init(_ cache: PageCache, _ names: [ImageName], _ generator: inout SampleGenerator) throws {
        let some = names.shuffled(using: &generator).prefix(Self.someNames)
        let drawn = (0..<Self.draws / some.count).flatMap { _ in some.shuffled(using: &generator) }
        look = try Self.median(drawn) { cache.look($0) != nil }
        use = try Self.median(drawn) { name in
            switch cache.use(name) {
            case .some: true
            case .none: false
            }
        }
        // A single one is too fast to time.
        contains = try Self.median(drawn, atOnce: 500) { cache.contains($0) }
        let any = names.shuffled(using: &generator)
        spread = try Self.median(Array(any.prefix(Self.draws))) { cache.look($0) != nil }
        let others = any.dropFirst(Self.draws)
        let paths = (others.count < Self.draws ? any[...] : others).prefix(Self.draws).map(cache.path)
        spreadSystem = try Self.median(paths, Self.read)
    }

    @LoopActor
    private static func median<Name>(_ names: [Name], atOnce: Int = 1, _ find: @LoopActor (Name) -> Bool) throws -> Double {
        var times: [Double] = []
        times.reserveCapacity(names.count / atOnce)
        for first in stride(from: 0, to: names.count, by: atOnce) {
            let some = names[first..<min(first + atOnce, names.count)]
            let start = ProcessFigures.wallMilliseconds
            var found = 0
            for name in some where find(name) { found += 1 }
            times.append((ProcessFigures.wallMilliseconds - start) * 1000 / Double(some.count))
            guard found == some.count else { throw BenchmarkFailure("an image was not found: \(some)") }
        }
        return times.median
    }

    private static func read(_ path: String) -> Bool {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return false }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0 else { return false }
        return withUnsafeTemporaryAllocation(byteCount: 16, alignment: 1) { bytes in
            pread(file, bytes.baseAddress, 16, 0) == 16 && pread(file, bytes.baseAddress, 12, status.st_size - 12) == 12
        }
    }
}

/// Asks for images continually while something else goes on, and records how long each took: from a thread, like the web
/// server's, and on the loop, where waiting for a turn is part of the time.
final class LookUpProbe: Sendable {
    /// How long each look-up took, in milliseconds.
    struct Waits: Sendable {
        var looks: [Double] = []
        var uses: [Double] = []
    }

    private static let pauseMicroseconds: UInt32 = 250

    private let cache: PageCache
    private let names: [ImageName]
    private let isStopped = Atomic(false)
    private let waits = Mutex(Waits())
    private let side = SideThread()

    /// Begins to ask for `names`, one after the other.
    init(_ cache: PageCache, _ names: [ImageName]) {
        self.cache = cache
        self.names = names
        side.begin { [self] in work() }
    }

    /// Stops once every look-up that has begun is answered.
    @LoopActor
    func stop() async -> Waits {
        isStopped.store(true, ordering: .relaxed)
        await side.run {}
        // The loop takes turns in order, so none of ours is left after this one.
        await spawn {}.value
        return waits.withLock { $0 }
    }

    private func work() {
        var number = 0
        while !isStopped.load(ordering: .relaxed) {
            let name = names[number % names.count]
            number += 1
            let wanted = ProcessFigures.wallMilliseconds
            spawn { [self] in
                _ = cache.look(name)
                let wait = ProcessFigures.wallMilliseconds - wanted
                waits.withLock { $0.looks.append(wait) }
            }
            let start = ProcessFigures.wallMilliseconds
            _ = cache.use(name)
            let wait = ProcessFigures.wallMilliseconds - start
            waits.withLock { $0.uses.append(wait) }
            usleep(Self.pauseMicroseconds)
        }
    }
}
