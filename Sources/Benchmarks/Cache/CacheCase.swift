import BenchmarkCorpus
import Model

/// A cache size that is measured.
struct CacheCase: Hashable, Sendable {
    let entries: Int
    let images: SampleImages.Kind

    /// What the names of its figures end with.
    var suffix: String { images == .small ? "@\(entries)" : "@\(entries)_full_size" }

    /// The usual sizes, up to a number of images.
    static func all(upTo most: Int) -> [CacheCase] {
        let numbers = Set([1000, 10_000, 100_000].filter { $0 < most } + [most]).sorted()
        return [CacheCase(entries: 1000, images: .fullSize)] + numbers.map { CacheCase(entries: $0, images: .small) }
    }
}
