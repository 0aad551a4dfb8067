import Freshness
import Model

extension WantedSet {
    /// What is to be rendered, in order.
    func missing(from present: Set<ImageName>) -> [WantedImage] {
        images.filter { !present.contains($0.name) }
    }

    /// What is in the cache for none of these plans.
    func surplus(in present: Set<ImageName>) -> Set<ImageName> {
        present.subtracting(images.map(\.name))
    }
}
