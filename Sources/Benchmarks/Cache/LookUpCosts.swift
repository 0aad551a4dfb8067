import BenchmarkCorpus
import Glibc
import Model
import PageCache
import Platform

/// What looking up images costs: the median of many look-ups, in microseconds.
struct LookUpCosts: Sendable {
    private static let draws = 20_000
    /// No measured cache has fewer images than this.
    private static let someNames = 1000

    /// Asking whether an image is known to be there.
    var contains = 0.0
    /// Asking whether it is there and intact, on the loop.
    var look = 0.0
    /// Opening it to be shown, from any thread.
    var use = 0.0
    /// `look`, but each time for a different image.
    var spread = 0.0
    /// The system's share of that: open, fstat, two reads, close.
    var spreadSystem = 0.0

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
        contains = try Self.containing(cache, drawn)
        let any = names.shuffled(using: &generator)
        spread = try Self.median(any.prefix(Self.draws)) { cache.look($0) != nil }
        let others = any.dropFirst(Self.draws)
        let paths = (others.count < Self.draws ? any[...] : others).prefix(Self.draws).map(cache.path)
        spreadSystem = try Self.median(paths, Self.read)
    }

    /// Measured in batches, since a single one is too fast to time.
    @LoopActor
    private static func containing(_ cache: PageCache, _ names: [ImageName]) throws -> Double {
        let batch = 500
        var times: [Double] = []
        for start in stride(from: 0, to: names.count, by: batch) {
            let some = names[start..<min(start + batch, names.count)]
            let begin = ProcessFigures.wallMilliseconds
            var found = 0
            for name in some where cache.contains(name) { found += 1 }
            times.append((ProcessFigures.wallMilliseconds - begin) * 1000 / Double(some.count))
            guard found == some.count else { throw BenchmarkFailure("an image is not known to be there") }
        }
        return times.median
    }

    @LoopActor
    private static func median<Names: Collection>(
        _ names: Names, _ find: @LoopActor (Names.Element) -> Bool
    ) throws -> Double {
        var times: [Double] = []
        times.reserveCapacity(names.count)
        for name in names {
            let start = ProcessFigures.wallMilliseconds
            let isThere = find(name)
            times.append((ProcessFigures.wallMilliseconds - start) * 1000)
            guard isThere else { throw BenchmarkFailure("the image \(name) was not found") }
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
