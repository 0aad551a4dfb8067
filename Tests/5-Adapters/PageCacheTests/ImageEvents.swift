import Model
import PageCache
import Platform

/// The events that a cache reports about its images, in order.
@LoopActor
final class ImageEvents {
    struct Report: Hashable {
        let name: ImageName
        let event: ImageEvent
    }

    private(set) var reports: [Report] = []
    private(set) var sizes: [ImageName: ByteCount] = [:]

    init(of cache: PageCache) {
        cache.setListener { [unowned self] name, event, size in
            reports.append(Report(name: name, event: event))
            sizes[name] = size
        }
    }

    /// The events of one image, in order.
    subscript(name: ImageName) -> [ImageEvent] { reports.filter { $0.name == name }.map(\.event) }
}
