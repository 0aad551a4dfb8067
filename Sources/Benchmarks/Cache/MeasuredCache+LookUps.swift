import BenchmarkCorpus
import Glibc
import Model
import PageCache
import Platform

extension MeasuredCache {
    private static let draws = 20_000
    /// No measured cache has fewer images than this.
    private static let someNames = 1000

    /// Looks up a thousand images from all over the cache again and again, the same number for every cache size. So they are
    /// equally likely to be in the processor's caches, and only the number of other images differs. Then looks up any images.
    func lookUp(in cache: PageCache, _ generator: inout SampleGenerator) throws {
        let names = contents.images.map(\.name)
        let some = names.shuffled(using: &generator).prefix(Self.someNames)
        let drawn = (0..<Self.draws / some.count).flatMap { _ in some.shuffled(using: &generator) }
        // Asking whether it is there and intact, on the loop.
        try time("lookup_us", drawn) { cache.look($0) != nil }
        // Opening it to be shown, from any thread.
        try time("use_us", drawn) { name in
            switch cache.use(name) {
            case .some: true
            case .none: false
            }
        }
        // Asking whether it is known to be there; a single one is too fast to time.
        try time("contains_us", drawn, atOnce: 500) { cache.contains($0) }
        let any = names.shuffled(using: &generator)
        try time("lookup_spread_us", Array(any.prefix(Self.draws))) { cache.look($0) != nil }
        let others = any.dropFirst(Self.draws)
        let paths = (others.count < Self.draws ? any[...] : others).prefix(Self.draws).map(cache.path)
        try time("lookup_spread_us", beside: "_system", paths, Self.read)
    }

    /// Adds the median of the times that it takes to find each.
    private func time<Name>(
        _ figure: String, beside peer: String = "", _ names: [Name], atOnce: Int = 1, _ find: @LoopActor (Name) -> Bool
    ) throws {
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
        add(figure, "us", times.median, beside: peer)
    }

    /// The system's share of a look-up: open, fstat, two reads, close.
    private static func read(_ path: String) -> Bool {
        let file = Glibc.open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return false }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0 else { return false }
        return withUnsafeTemporaryAllocation(byteCount: 16, alignment: 1) { bytes in
            pread(file, bytes.baseAddress, 16, 0) == 16 && pread(file, bytes.baseAddress, 12, status.st_size - 12) == 12
        }
    }
}
