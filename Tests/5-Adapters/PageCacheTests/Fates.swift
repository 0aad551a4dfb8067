import Model
import PageCache
import Platform

/// What a cache told of its images, in order.
@LoopActor
final class Fates {
    struct Told: Hashable {
        let name: ImageName
        let fate: ImageFate
    }

    private(set) var told: [Told] = []
    private(set) var sizes: [ImageName: ByteCount] = [:]

    init(of cache: PageCache) {
        cache.hear { [unowned self] name, fate, size in
            told.append(Told(name: name, fate: fate))
            sizes[name] = size
        }
    }

    /// What became of an image, in order.
    subscript(name: ImageName) -> [ImageFate] { told.filter { $0.name == name }.map(\.fate) }
}
