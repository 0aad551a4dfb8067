import Model
import PageCache
import Platform

/// What looking for images costs, each in the median of many, in microseconds.
struct LookUpCosts: Sendable {
    private static let draws = 20_000

    /// Whether it is known to be there.
    var contains = 0.0
    /// Whether it is there and whole, on the loop.
    var look = 0.0
    /// Opened to be shown, from any thread.
    var use = 0.0

    /// Looks for images drawn from all there are.
    @LoopActor
    init(_ cache: PageCache, _ names: [ImageName], _ generator: inout SampleGenerator) throws {
        let drawn = (0..<Self.draws).map { _ in names[Int.random(in: names.indices, using: &generator)] }
        look = try Self.median(drawn) { cache.look($0) != nil }
        use = try Self.median(drawn) { name in
            switch cache.use(name) {
            case .some: true
            case .none: false
            }
        }
        // Too quick to be timed one by one.
        let batch = 500
        var times: [Double] = []
        for start in stride(from: 0, to: drawn.count, by: batch) {
            let some = drawn[start..<min(start + batch, drawn.count)]
            let begin = ProcessFigures.wallMilliseconds
            var found = 0
            for name in some where cache.contains(name) { found += 1 }
            times.append((ProcessFigures.wallMilliseconds - begin) * 1000 / Double(some.count))
            guard found == some.count else { throw BenchmarkFailure("an image is not known to be there") }
        }
        contains = times.median
    }

    @LoopActor
    private static func median(_ names: [ImageName], _ find: @LoopActor (ImageName) -> Bool) throws -> Double {
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
}
