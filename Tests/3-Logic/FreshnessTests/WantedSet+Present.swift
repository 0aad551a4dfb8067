import Freshness
import Model

extension WantedSet {
    /// The images to be rendered, in order.
    func missing(from present: Set<ImageName>) -> [WantedImage] {
        images.filter { !present.contains($0.name) }
    }

    /// The images in the cache that none of these plans need.
    func surplus(in present: Set<ImageName>) -> Set<ImageName> {
        present.subtracting(images.map(\.name))
    }
}
