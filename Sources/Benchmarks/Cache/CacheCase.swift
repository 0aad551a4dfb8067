import BenchmarkCorpus
import Model

/// A size of cache that is measured.
struct CacheCase: Hashable, Sendable {
    let entries: Int
    let images: SampleImages.Kind

    /// What its figures' names end with.
    var suffix: String { images == .small ? "@\(entries)" : "@\(entries)_full_size" }

    /// The usual ones, up to a number of entries.
    static func all(upTo most: Int) -> [CacheCase] {
        let numbers = Set([1000, 10_000, 100_000].filter { $0 < most } + [most]).sorted()
        return [CacheCase(entries: 1000, images: .fullSize)] + numbers.map { CacheCase(entries: $0, images: .small) }
    }
}
